// `init`: a commented study file to start from.
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/base/read_file.h"
#include "harness/cli/verb.h"

namespace scalestudy {
namespace {

struct InitOptions {
  std::string path;  // file to write
  bool force = false;
};

ExitCode init_study(const InitOptions& options,
                    const std::string& /*results*/,
                    Terminal& terminal) {
  const std::string text = read_file(shared_file("data/init.yaml")).value_or("");
  if (options.path == "-") {
    terminal.out(text);
    return ExitCode::kDone;
  }
  if (!options.force && std::filesystem::exists(options.path)) {
    throw Error(ErrorKind::kUsage, fmt::format("{} exists; --force overwrites it", options.path));
  }
  std::ofstream file(options.path);
  file << text;
  if (!file.flush()) {
    throw Error(ErrorKind::kUsage, fmt::format("{} cannot be written", options.path));
  }
  terminal.note(fmt::format("wrote {}; next: scalestudy plan {}", options.path, options.path));
  return ExitCode::kDone;
}

}  // namespace

Verb init_verb() {
  const auto options = std::make_shared<InitOptions>();
  return {"init",
          "Write a commented study file as a starting point",
          {{"file", &options->path, "File to write; - is standard output"},
           {"--force", &options->force, "Overwrite the file", "FORCE"}},
          "Examples:\n  scalestudy init studies/my-question.yaml\n  scalestudy init -",
          with_options(options, init_study)};
}

}  // namespace scalestudy
