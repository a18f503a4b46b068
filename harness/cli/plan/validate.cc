// `validate`: every problem of every file, and what a valid study comes to.
#include <fmt/format.h>

#include "harness/analysis/studies/planned_targets.h"
#include "harness/cli/find_study.h"
#include "harness/cli/plan/study_warnings.h"
#include "harness/cli/verb.h"
#include "harness/host/system_machine.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/secret.h"
#include "harness/study/remarks.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

struct ValidateOptions {
  std::vector<std::string> studies;  // files, "-" is stdin
  std::vector<std::string> overrides;
};

ExitCode validate_studies(const ValidateOptions& options,
                          const std::string& results,
                          Terminal& terminal) {
  ExitCode code = ExitCode::kDone;
  SystemMachine machine;
  for (const std::string& path : options.studies) {
    try {
      const Study study = declared_study(path, options.overrides, results);
      terminal.hide(secret_values(study));
      const Matrix matrix = expand(study);
      terminal.out(
          fmt::format("{}: valid: study {}, {}, {}\n",
                      path,
                      study.name,
                      format_count(std::ssize(matrix.cells), "cell"),
                      study.search ? "a search of " + format_duration(study.search->budget_s)
                                   : format_count(std::ssize(schedule(study, matrix)), "trial")),
          {Style::kGood, "valid:"});
      for (const std::string& warning : study_warnings(study, matrix, machine)) {
        terminal.warn(fmt::format("{}: {}", path, warning));
      }
      for (const std::string& warning : source_warnings(study, results)) {
        terminal.warn(fmt::format("{}: {}", path, warning));
      }
      // These spoil no trial, so that `plan` and `run` do not say them.
      std::vector<std::string> remarks = targets_without_efficiency(study, matrix);
      remarks.push_back(missing_device_counts(study, matrix));
      remarks.push_back(uncounted_tokens(study));
      for (const std::string& warning : remarks) {
        if (!warning.empty()) {
          terminal.warn(fmt::format("{}: {}", path, warning));
        }
      }
    } catch (const Error& error) {
      // The other files are still checked; problems go where errors go.
      tell(fmt::format("{}\n", error.what()));
      code = exit_code(error.kind());
    }
  }
  return code;
}

}  // namespace

Verb validate_verb() {
  const auto options = std::make_shared<ValidateOptions>();
  return {"validate",
          VerbGroup::kStart,
          "Check study files and list every problem",
          {{"study",
            &options->studies,
            "Study files (- is standard input), or names of studies in the store"},
           override_option(options->overrides)},
          "Examples:\n  scalestudy validate studies/*.yaml\n"
          "  scalestudy validate study.yaml --set trials.count=3",
          with_options(options, validate_studies)};
}

}  // namespace scalestudy
