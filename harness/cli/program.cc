// The table of contents: parse, run the verb, one catch.
#include "harness/cli/program.h"

#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "harness/cli/options.h"

namespace scalestudy {
namespace {

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
  std::optional<Terminal> terminal;
  try {
    const Invocation invocation = parse_options(argc, argv);
    terminal.emplace(invocation.globals.color, invocation.globals.quiet);
    if (invocation.verb) {
      return static_cast<int>(invocation.verb->run(invocation.globals.results, *terminal));
    }
    terminal->out(invocation.message);
    return static_cast<int>(invocation.exit_code);
  } catch (const Error& error) {
    const std::string what = terminal ? terminal->masked(error.what()) : error.what();
    tell(fmt::format("scalestudy: {}\n", what));
    return static_cast<int>(exit_code(error.kind()));
  } catch (const std::filesystem::filesystem_error& error) {  // a name too long, a loop of links
    tell(fmt::format("scalestudy: {}: {}\n", error.path1().string(), error.code().message()));
    return static_cast<int>(ExitCode::kUsage);
  } catch (const std::bad_alloc&) {
    tell(
        "scalestudy: out of memory; free some, raise its limit (ulimit -v, a cgroup's), or give "
        "less at once\n");
    return static_cast<int>(ExitCode::kUsage);
  } catch (const std::exception& error) {
    tell(fmt::format(
        "scalestudy: internal error: {}\nThis is a defect of scalestudy, not of your study.\n",
        error.what()));
    return static_cast<int>(ExitCode::kInternalError);
  }
}

}  // namespace scalestudy
