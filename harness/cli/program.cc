// The table of contents: parse, dispatch, one catch.
#include "harness/cli/program.h"

#include <csignal>
#include <exception>
#include <type_traits>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/cli/options.h"
#include "harness/cli/terminal.h"
#include "harness/cli/verbs.h"

namespace scalestudy {
namespace {

ExitCode dispatch(const Invocation& invocation, Terminal& terminal) {
  const std::string& results = invocation.results;
  return std::visit(
      [&](const auto& options) {
        using T = std::decay_t<decltype(options)>;
        if constexpr (std::is_same_v<T, InitOptions>) {
          return init_study(options, terminal);
        } else if constexpr (std::is_same_v<T, ValidateOptions>) {
          return validate_studies(options, terminal);
        } else if constexpr (std::is_same_v<T, PlanOptions>) {
          return show_plan(options, results, terminal);
        } else if constexpr (std::is_same_v<T, RunCommand>) {
          return run_command(options, results, terminal);
        } else if constexpr (std::is_same_v<T, StatusOptions>) {
          return show_status(options, results, terminal);
        } else if constexpr (std::is_same_v<T, QueryOptions>) {
          return query_store(options, results, terminal);
        } else if constexpr (std::is_same_v<T, ReportCommand>) {
          return make_report(options, results, terminal);
        } else if constexpr (std::is_same_v<T, AuditCommand>) {
          return audit_figures(options, terminal);
        } else if constexpr (std::is_same_v<T, ImportOptions>) {
          return import_figures(options, results, terminal);
        } else if constexpr (std::is_same_v<T, DoctorOptions>) {
          return examine_machine(results, terminal);
        } else if constexpr (std::is_same_v<T, SchemaOptions>) {
          return print_schema(options, terminal);
        } else if constexpr (std::is_same_v<T, CompletionOptions>) {
          terminal.out(options.script);
          return ExitCode::kDone;
        } else {
          terminal.out(invocation.message);
          return ExitCode::kDone;
        }
      },
      invocation.verb);
}

// Gives standard descriptors that are closed to nothing, or the next file that is opened, such as
// a results folder's lock, would be written to as one of them. Reading or writing still fails.
void fill_standard_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) < 0) {
      // The lowest that is free, which is this one; in the direction that it is not used in.
      open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    }
  }
}

}  // namespace

int run_program(int argc, const char* const* argv) {
  fill_standard_descriptors();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow (ulimit -f) is an error with its name
  try {
    const Invocation invocation = parse_options(argc, argv);
    Terminal terminal(invocation.color, invocation.quiet);
    return static_cast<int>(dispatch(invocation, terminal));
  } catch (const Error& error) {
    tell(fmt::format("scalestudy: {}\n", error.what()));
    return static_cast<int>(exit_code(error.kind()));
  } catch (const std::exception& error) {
    tell(fmt::format(
        "scalestudy: internal error: {}\nThis is a defect of scalestudy, not of your study.\n",
        error.what()));
    return static_cast<int>(ExitCode::kInternalError);
  }
}

}  // namespace scalestudy
