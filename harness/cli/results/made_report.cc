#include "harness/cli/results/made_report.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/analyse.h"
#include "harness/analysis/studies/references.h"
#include "harness/base/build_info.h"
#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/base/replace_file.h"
#include "harness/exchange/renewal.h"
#include "harness/report/template/template_source.h"
#include "harness/study/declared/words.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

namespace fs = std::filesystem;

namespace {

std::ptrdiff_t ended_trials(const Store& store, std::int64_t study_id) {
  const std::vector<TrialRow> trials = store.trials(study_id);
  return std::count_if(
      trials.begin(), trials.end(), [](const TrialRow& trial) { return !is_pending(trial.state); });
}

// Whether a file of that subfolder stands in the place of one of the product's.
bool has_shipped(const fs::path& folder, const std::string& subfolder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / subfolder, ignored)) {
    if (fs::exists(shared_file("templates/" + subfolder) / entry.path().filename(), ignored)) {
      return true;
    }
  }
  return false;
}

// Sorted.
std::vector<fs::path> files_with(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == extension && entry.path().filename() != "README.md") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

// Refuses a file of that subfolder that has no name of the product's and that no text of the folder
// uses, where `uses` says of a text and a file's name whether it does.
void require_used(const fs::path& folder,
                  const std::string& subfolder,
                  const std::string& extension,
                  const std::function<bool(const std::string&, const fs::path&)>& uses) {
  const fs::path shipped = shared_file("templates/" + subfolder);
  const std::vector<fs::path> own = files_with(folder / subfolder, extension);
  std::vector<fs::path> texts = files_with(folder, extension);
  texts.insert(texts.end(), own.begin(), own.end());
  for (const fs::path& file : own) {
    const bool is_used = fs::exists(shipped / file.filename()) ||
                         std::ranges::any_of(texts, [&](const fs::path& text) {
                           return uses(read_file(text).value_or(""), file.filename());
                         });
    if (!is_used) {
      std::vector<std::string> names;
      for (const fs::path& known : files_with(shipped, extension)) {
        names.push_back(known.filename().string());
      }
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: nothing uses this file: the product's {} have other names{}",
                              file.string(),
                              subfolder,
                              suggestion(file.filename().string(), names)));
    }
  }
}

bool includes(const std::string& text, const fs::path& partial) {
  return std::ranges::any_of(report::scan_tags(text), [&](const report::TagUse& use) {
    return use.kind == '>' && use.name == partial.stem().string();
  });
}

bool mentions(const std::string& text, const fs::path& script) {
  return text.find(script.string()) != std::string::npos;
}

// Names the targets whose level, a share of a value from elsewhere, is not what was stored.
void tell_other_levels(const std::string& study,
                       const Results& stored,
                       const Results& now,
                       Terminal& terminal) {
  std::string told;  // the target whose first cell has been told
  for (const TargetResultRow& row : now.targets) {
    const bool is_other = std::ranges::any_of(stored.targets, [&](const TargetResultRow& before) {
      return before.name == row.name && before.cell_id == row.cell_id && before.level != row.level;
    });
    if (is_other && row.name != told) {
      terminal.note(fmt::format(
          "{}: what target {} refers to has changed since its result was stored", study, row.name));
      told = row.name;
    }
  }
}

}  // namespace

ReportRequest request_with(std::int64_t study_id,
                           const Study& study,
                           const std::filesystem::path& own) {
  ReportRequest request{.study_id = study_id,
                        .template_file = shared_file("templates/" + study.report_template + ".md"),
                        .own = own,
                        .partials = shared_file("templates/partials"),
                        .figures = shared_file("templates/figures")};
  for (const std::string& name : {std::string("report"), study.report_template}) {
    if (!own.empty() && std::filesystem::exists(own / (name + ".md"))) {
      request.template_file = own / (name + ".md");
    }
  }
  return request;
}

std::vector<std::string> site_templates() {
  std::vector<std::string> names{"report.md", "audit.md"};
  for (const std::string& kind : words_of<ReportKind>()) {
    names.push_back(kind + ".md");
  }
  return names;
}

void require_templates(const fs::path& folder, const std::vector<std::string>& mains) {
  if (!fs::is_directory(folder)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--template {0}: no such folder; `scalestudy init --template {1}` "
                            "makes one",
                            folder.string(),
                            shell_word(folder.string())));
  }
  const std::vector<std::string> names = site_templates();
  bool is_used = has_shipped(folder, "partials") || has_shipped(folder, "figures");
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    is_used |= std::ranges::find(mains, name) != mains.end();
    if (entry.path().extension() == ".md" && name != "README.md" &&
        std::ranges::find(names, name) == names.end()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: no main template has this name{}; there are {}",
                              entry.path().string(),
                              suggestion(name, names),
                              join(names, ", ")));
    }
  }
  if (!is_used) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--template {}: nothing of it would be used: it has none of {}, and "
                            "partials/ and figures/ hold no file named like one of the product's "
                            "({})",
                            folder.string(),
                            join(mains, ", "),
                            shared_file("templates").string()));
  }
}

ReportFiles analyse_and_render(Store& store,
                               const Study& study,
                               const ReportRequest& request,
                               Terminal& terminal) {
  constexpr int most_tries = 3;
  for (int tries = 1;; ++tries) {
    const std::ptrdiff_t ended = ended_trials(store, request.study_id);
    store.note_look(request.study_id);
    store.replace_results(request.study_id, analyse(store, request.study_id, study));
    ReportFiles files = render_report(store, request);
    if (!request.own.empty()) {
      require_used(request.own, "partials", ".md", includes);
      require_used(request.own, "figures", ".gp", mentions);
    }
    if (ended_trials(store, request.study_id) == ended) {
      return files;
    }
    if (tries == most_tries) {
      terminal.note(
          "trials ended while the report was made: its lists may name some that its results do not "
          "count. Make it again when the run has ended");
      return files;
    }
  }
}

ReportFiles render_for_check(Store& store,
                             const Study& study,
                             const ReportRequest& request,
                             Terminal& terminal) {
  if (!refers_elsewhere(study.analysis)) {
    return render_report(store, request);
  }
  const Results stored = store.results(request.study_id);
  store.leave_file();
  ReportFiles files = analyse_and_render(store, study, request, terminal);
  tell_other_levels(study.name, stored, store.results(request.study_id), terminal);
  return files;
}

void tell_renewal(const ReportFiles& files,
                  const std::vector<std::string>& differing,
                  const fs::path& folder,
                  Terminal& terminal) {
  FileTexts older;
  const auto read = [&](const std::string& name) {
    // What a link leads to is no part of the report, and its numbers are nobody's to print.
    std::error_code ignored;
    if (leads_through_link(folder, name) || fs::is_symlink(folder / name, ignored)) {
      return;
    }
    if (auto written = read_file(folder / name)) {
      older[name] = std::move(*written);
    }
  };
  for (const auto& [name, content] : files) {
    read(name);
  }
  std::ranges::for_each(differing, read);
  const Renewal renewal = find_renewal(older, files, differing, build_info().version);
  terminal.out(fmt::format("{}: {}\n", folder.string(), renewal.summary));
  for (const FileChange& file : renewal.files) {
    terminal.out(fmt::format("  {}: {}\n", file.file, file.what));
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(most, file.numbers.size()); ++i) {
      terminal.out(fmt::format("    {}\n", file.numbers[i]));
    }
    if (file.numbers.size() > most) {
      terminal.out(fmt::format("    and {} more\n", file.numbers.size() - most));
    }
  }
}

}  // namespace scalestudy
