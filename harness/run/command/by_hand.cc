#include "harness/run/command/by_hand.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "harness/base/replace_file.h"
#include "harness/study/parameters/secret.h"
#include "harness/text/shell_word.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

// Of these, what would have the trial taken for one of a run, whose processes a run may end, or
// its samples written over those of the trial.
bool is_of_run(const std::string& name) {
  return name == "SCALESTUDY_STORE" || name == "SCALESTUDY_SESSION" || name == "SCALESTUDY_OUTPUT";
}

}  // namespace

std::string trial_script(const LaunchRequest& request,
                         const std::vector<std::string>& setup,
                         const Study& study) {
  const std::vector<std::string> secrets = secret_values(study);
  const auto words = [&](const std::vector<std::string>& arguments) {
    std::string text;
    for (const std::string& argument : arguments) {
      text += shell_word(masked(argument, secrets)) + " ";
    }
    return text + "</dev/null";
  };
  std::error_code ignored;  // the folder this runs in may be gone
  std::string script = fmt::format(
      "#!/bin/sh\n# A trial of study {}, as scalestudy ran it; it changes nothing in the store.\n"
      "cd {} || exit\n",
      study.name,
      shell_word((fs::current_path(ignored) / request.working_folder).string()));
  for (const std::string& name : request.unset_environment) {
    script += fmt::format("unset {}\n", shell_word(name));
  }
  for (const auto& [name, value] : request.environment) {
    if (masked(value, secrets) != value) {
      script += fmt::format("export {0}=\"${{{0}:?is a secret of the study: set it}}\"\n", name);
    } else if (!is_of_run(name)) {
      script += fmt::format("export {}={}\n", name, shell_word(value));
    }
  }
  if (!setup.empty()) {
    script += words(setup) + " >&2 || exit  # setup; a cleanup of the study is not run here\n";
  }
  return script +
         "SCALESTUDY_OUTPUT=$(mktemp) && export SCALESTUDY_OUTPUT || exit\n"
         "echo \"samples: $SCALESTUDY_OUTPUT\" >&2\nexec " +
         words(request.argv) + "\n";
}

void write_trial_script(const LaunchRequest& request,
                        const std::vector<std::string>& setup,
                        const Study& study,
                        const TrialFiles& files) {
  const fs::path path = files.results / files.folder / kScriptName;
  std::error_code ignored;
  if (overwrite(path, trial_script(request, setup, study)) != 0) {
    fs::remove(path, ignored);  // nobody is to run half of it
    return;
  }
  fs::permissions(
      path, fs::perms::owner_read | fs::perms::owner_write | fs::perms::owner_exec, ignored);
}

}  // namespace scalestudy
