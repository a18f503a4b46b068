// `merge`: several results folders into one.
#include "harness/store/merge.h"

#include <filesystem>

#include <fmt/format.h>

#include "harness/base/number.h"
#include "harness/base/paths.h"
#include "harness/cli/stored_study.h"
#include "harness/cli/verb.h"
#include "harness/run/lock.h"
#include "harness/run/unstored.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

struct MergeOptions {
  std::vector<std::string> sources;
};

// Only files that lie in the folder under a plain name: a store may say anything. One that is gone
// is no reason to refuse the samples.
void carry(const CarriedFile& file, const fs::path& from, const fs::path& to) {
  const fs::path path = fs::path(file.from).lexically_normal();
  std::error_code error;
  if (path.is_absolute() || path.begin() == path.end() || *path.begin() == ".." ||
      !fs::is_regular_file(fs::symlink_status(from / path, error))) {
    return;
  }
  const fs::path target = to / file.to;
  if (!create_private_folder(target.parent_path(), error) ||
      !fs::copy_file(from / path, target, fs::copy_options::overwrite_existing, error)) {
    throw Error(ErrorKind::kStore, fmt::format("{}: {}", target.string(), error.message()));
  }
}

ExitCode merge_stores(const MergeOptions& options, const std::string& results, Terminal& terminal) {
  const RunLock lock(results);
  Store store = Store::open(results);
  store_unstored(store);
  NamedContent into{.name = results, .content = store.content()};
  bool has_changed = false;
  std::vector<std::string> lines;
  std::vector<std::pair<std::string, std::vector<CarriedFile>>> files;  // by source
  for (const std::string& source : options.sources) {
    Merged merged =
        merge(into, {.name = source, .content = Store::open_read_only(source).content()});
    into.content = std::move(merged.content);
    has_changed |= merged.has_changed;
    lines.push_back(fmt::format(
        "{}: {} taken, {} known\n", source, format_count(merged.taken, "trial"), merged.known));
    files.emplace_back(source, std::move(merged.files));
  }
  if (has_changed) {
    for (const auto& [source, carried] : files) {
      for (const CarriedFile& file : carried) {
        carry(file, source, results);
      }
    }
    put_content(store, into.content);
  }
  for (const std::string& line : lines) {
    terminal.out(line);
  }
  return ExitCode::kDone;
}

}  // namespace

Verb merge_verb() {
  const auto options = std::make_shared<MergeOptions>();
  return {
      "merge",
      "Merge other results folders into this one: of machines, or of parts of one plan",
      {{"source", &options->sources, "Results folders to take trials from; they stay as they are"}},
      "An attempt is known by its cell, plan (what one results folder planned), block and number:\n"
      "nothing is there twice, merging again changes nothing, and any order of merging gives the\n"
      "same store; numbers of trials and sessions may change, and outputs are copied along. "
      "Stores\n"
      "that differ in what has the same name, e.g. copies that went on apart, are refused as a\n"
      "whole.\n\n"
      "Examples:\n  scalestudy merge /scratch/node1/results /scratch/node2/results\n"
      "  scalestudy --results both merge mine theirs",
      with_options(options, merge_stores)};
}

}  // namespace scalestudy
