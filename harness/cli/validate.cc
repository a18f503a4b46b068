// `validate`: every problem of every file, and what a valid study comes to.
#include <fmt/format.h>

#include "harness/cli/verbs.h"
#include "harness/study/matrix.h"
#include "harness/study/parse.h"

namespace scalestudy {

ExitCode validate_studies(const ValidateOptions& options, Terminal& terminal) {
  ExitCode code = ExitCode::kDone;
  for (const std::string& path : options.studies) {
    try {
      const Study study = load_study(path, options.overrides);
      const Matrix matrix = expand(study);
      terminal.out(fmt::format("{}: {}: study {}, {} cells, {} trials\n",
                               path,
                               terminal.styled_out(Style::kGood, "valid"),
                               study.name,
                               matrix.cells.size(),
                               schedule(study, matrix).size()));
    } catch (const Error& error) {
      // The other files are still checked; problems go where errors go.
      tell(fmt::format("{}\n", error.what()));
      code = exit_code(error.kind());
    }
  }
  return code;
}

}  // namespace scalestudy
