// `remove`: a study leaves the store, with its trials and what they printed.
#include <filesystem>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/cli/consent.h"
#include "harness/cli/find_study.h"
#include "harness/cli/verb.h"
#include "harness/run/process/lock.h"
#include "harness/store/removal.h"
#include "harness/study/declared/study_name.h"
#include "harness/submit/jobs.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

struct RemoveOptions {
  std::string study;
  bool misnamed = false;
  bool yes = false;
};

// Where the trials of the study printed.
struct Outputs {
  fs::path folder;  // empty: there is none
  fs::path link;    // leads to the folder, so that it stays; empty: none does
};

Outputs outputs_of(const fs::path& results, const StudyRow& row) {
  std::error_code ignored;
  const fs::path logs = results / "logs";
  if (!is_study_name(row.name) || !fs::is_directory(logs / row.name, ignored)) {
    return {};
  }
  Outputs outputs{.folder = logs / row.name, .link = {}};
  for (const fs::path& path : {outputs.folder, logs}) {
    if (!is_real_folder(path)) {
      outputs.link = path;
    }
  }
  return outputs;
}

// "demo: 20 attempts of 2 sessions, and their outputs in results/logs/demo"
std::string described(const Store& store, const StudyRow& row) {
  const Outputs outputs = outputs_of(store.results_folder(), row);
  return fmt::format("{}: {} of {}{}",
                     printable(row.name.substr(0, 80)),
                     format_count(std::ssize(store.trials(row.id)), "attempt"),
                     format_count(std::ssize(store.sessions(row.id)), "session"),
                     outputs.folder.empty() ? ""
                     : outputs.link.empty()
                         ? ", and their outputs in " + outputs.folder.string()
                         : fmt::format("; their outputs in {} stay, because {} is a link",
                                       outputs.folder.string(),
                                       outputs.link.string()));
}

ExitCode remove_studies(const RemoveOptions& options,
                        const std::string& results,
                        Terminal& terminal) {
  if (options.misnamed != options.study.empty()) {
    throw Error(ErrorKind::kUsage, "give either a study or --misnamed");
  }
  const auto chosen = [&] {
    return options.misnamed
               ? misnamed_studies(results)
               : std::vector{stored_study(Store::open_read_only(results), options.study, results)};
  };
  (void)chosen();  // the lock would make a folder where there is none
  const RunLock lock(results);
  const std::vector<StudyRow> rows = chosen();  // a merge before the lock gives new ids
  std::string what;
  for (const StudyRow& row : rows) {
    if (!options.misnamed && !study_jobs(results, row.name).empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("study {} was submitted as jobs, which need it; once they are done, "
                              "remove {} first",
                              row.name,
                              jobs_folder(results, row.name).string()));
    }
    // Closed before rows go: a reader that closes last leaves them in results.db-wal.
    what += described(Store::open_read_only(results), row) + "\n";
  }
  if (rows.empty()) {
    terminal.note("no study has a name that is not allowed");
    return ExitCode::kDone;
  }
  require_consent(what + "Remove this for good?", options.yes, terminal);
  ExitCode code = ExitCode::kDone;
  for (const StudyRow& row : rows) {
    remove_study(results, row.id);
    const Outputs outputs = outputs_of(results, row);
    if (!outputs.folder.empty() && outputs.link.empty() && !remove_tree(outputs.folder)) {
      terminal.warn(outputs.folder.string() + " could not be removed whole");
      code = ExitCode::kUsage;
    }
  }
  terminal.out(what);
  terminal.note("reports, exports and sites that were made of it stay");
  return code;
}

}  // namespace

Verb remove_verb() {
  const auto options = std::make_shared<RemoveOptions>();
  return {"remove",
          VerbGroup::kCorrect,
          "Remove a study with its trials and their outputs",
          {{"[study]", &options->study, "Name of a study in the store, or its file"},
           {"--misnamed",
            &options->misnamed,
            "Remove every study whose name is not allowed, because another program wrote it"},
           {"--yes", &options->yes, "Do not ask"}},
          "Says what would be removed, then asks. Only an export (`scalestudy export`) can bring "
          "it back.\n\n"
          "Examples:\n  scalestudy remove quickstart\n"
          "  scalestudy --results theirs remove --misnamed --yes",
          with_options(options, remove_studies)};
}

}  // namespace scalestudy
