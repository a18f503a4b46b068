// `init`: a commented study file to start from.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/cli/verbs.h"

namespace scalestudy {

ExitCode init_study(const InitOptions& options, Terminal& terminal) {
  std::ostringstream text;
  text << std::ifstream(shared_file("data/init.yaml")).rdbuf();
  if (options.path == "-") {
    terminal.out(text.str());
    return ExitCode::kDone;
  }
  if (!options.force && std::filesystem::exists(options.path)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} exists; --force overwrites it", options.path));
  }
  std::ofstream file(options.path);
  file << text.str();
  if (!file.flush()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} cannot be written", options.path));
  }
  terminal.note(fmt::format("wrote {}; next: scalestudy plan {}", options.path, options.path));
  return ExitCode::kDone;
}

}  // namespace scalestudy
