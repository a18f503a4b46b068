#include "harness/cli/exchange/merge_into.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/replace_file.h"
#include "harness/cli/exchange/put_content.h"
#include "harness/cli/own_text.h"
#include "harness/run/process/lock.h"
#include "harness/run/process/open_logs.h"
#include "harness/run/session/unstored.h"
#include "harness/store/merge/merge.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

constexpr std::uintmax_t kMostLogBytes = std::uintmax_t{64}
                                         << 20U;  // twice what a run keeps of one

// What a job projected from its own blocks is no projection of the study. Of two texts of the study
// that measure the same, the store's is the newer one: `submit` has put it there.
void take_as_part(const StoreContent& whole, StudyContent& part) {
  part.projections.clear();
  for (const StudyContent& study : whole.studies) {
    if (study.study.name == part.study.name && study.study.hash == part.study.hash) {
      part.study = study.study;
    }
  }
}

// A store may say anything: a log goes to `logs` under the names of its own trial.
void require_plain(const CarriedFile& file, const fs::path& from, const fs::path& to) {
  const fs::path target = file.to;
  if (target != target.lexically_normal() || *target.begin() != "logs") {
    throw Error(ErrorKind::kStore,
                fmt::format("{}: a log of it would be written to {}; nothing was merged",
                            from.string(),
                            (to / target).lexically_normal().string()));
  }
}

// Only files that lie in the folder under a plain name, not longer than a log is kept. One that is
// not taken is no reason to refuse the samples.
bool carry(const CarriedFile& file, const fs::path& from, const fs::path& to) {
  const fs::path path = fs::path(file.from).lexically_normal();
  const fs::path target = to / file.to;
  std::error_code error;
  if (!stays_inside(path) || leads_through_link(from, path) || leads_through_link(to, file.to) ||
      !fs::is_regular_file(fs::symlink_status(from / path, error)) ||
      !(fs::file_size(from / path, error) <= kMostLogBytes)) {
    return false;
  }
  if (!create_private_folder(target.parent_path(), error) ||
      !fs::copy_file(from / path, target, fs::copy_options::overwrite_existing, error)) {
    throw Error(ErrorKind::kStore, fmt::format("{}: {}", target.string(), error.message()));
  }
  return true;
}

// Adds the logs that no row names: of setup and cleanup, and the files that rules read.
void add_other_logs(const fs::path& from, std::vector<CarriedFile>& files) {
  // Each to several: trials that were read again have the logs of the attempt before.
  std::set<std::pair<fs::path, fs::path>> folders;
  std::set<std::string> known;
  for (const CarriedFile& file : files) {
    known.insert(file.to);
    folders.emplace(fs::path(file.from).parent_path(), fs::path(file.to).parent_path());
  }
  for (const auto& [folder, to] : folders) {
    for (const fs::path& entry :
         stays_inside(folder) ? entries_of(from / folder) : std::vector<fs::path>()) {
      const fs::path name = entry.filename();
      CarriedFile file{.from = (folder / name).string(), .to = (to / name).string()};
      if (is_log_name(name.string()) && known.insert(file.to).second) {
        files.push_back(std::move(file));
      }
    }
  }
}

// All sources merged into one content, and what is to be told and copied of them.
struct MergedSources {
  StoreContent content;
  bool has_changed = false;
  std::vector<std::string> lines;
  std::vector<std::pair<std::string, std::int64_t>> restored;           // by source
  std::vector<std::pair<std::string, std::vector<CarriedFile>>> files;  // likewise
};

MergedSources merge_sources(NamedContent into,
                            const std::string& results,
                            const std::vector<std::string>& sources,
                            bool are_parts) {
  MergedSources all;
  for (const std::string& source : sources) {
    NamedContent from{.name = source, .content = Store::open_read_only(source).content()};
    for (StudyContent& study : from.content.studies) {
      if (are_parts) {
        take_as_part(into.content, study);
      }
    }
    require_own_texts(from);
    Merged merged = merge(into, from);
    into.content = std::move(merged.content);
    into.name += ", " + source;
    all.has_changed |= merged.has_changed;
    all.lines.push_back(fmt::format(
        "{}: {} taken, {} known\n", source, format_count(merged.taken, "trial"), merged.known));
    for (const CarriedFile& file : merged.files) {
      require_plain(file, source, results);
    }
    add_other_logs(source, merged.files);
    all.restored.emplace_back(source, merged.restored);
    all.files.emplace_back(source, std::move(merged.files));
  }
  all.content = std::move(into.content);
  return all;
}

}  // namespace

void merge_into(const std::string& results,
                const std::vector<std::string>& sources,
                Terminal& terminal,
                bool are_parts) {
  std::optional<RunLock> lock;
  std::optional<Store> store;
  const auto open_store = [&] {
    lock.emplace(results);
    store.emplace(Store::open(results));
    store_unstored(*store);
  };
  const bool is_new = !Store::exists(results);
  if (!is_new) {
    open_store();
  }
  const MergedSources all =
      merge_sources({.name = results, .content = store ? store->content() : StoreContent()},
                    results,
                    sources,
                    are_parts);
  if (is_new) {  // only now: of a merge that is refused nothing is left
    open_store();
    const StoreContent own = store->content();
    if (!own.studies.empty() || !own.publications.empty()) {
      throw Error(ErrorKind::kLocked,
                  fmt::format("{}: another program has made a store there meanwhile; nothing was "
                              "merged. Merge again",
                              results));
    }
  }
  std::int64_t left = 0;
  if (all.has_changed) {
    for (const auto& [source, carried] : all.files) {
      for (const CarriedFile& file : carried) {
        left += carry(file, source, results) ? 0 : 1;
      }
    }
    put_content(*store, all.content);
  }
  for (const std::string& line : all.lines) {
    terminal.out(line);
  }
  for (const auto& [source, count] : all.restored) {
    warn_of_restored(count, source, terminal);
  }
  if (left > 0) {
    terminal.note(
        fmt::format("{} not copied, because they are missing, are not regular files, lie behind a "
                    "link, or exceed 64 MiB",
                    format_count(left, "output")));
  }
}

}  // namespace scalestudy
