#include "harness/run/attempt/build.h"

#include <set>

#include <fmt/format.h>

#include "harness/base/error.h"
#include "harness/run/outcome/outcome.h"
#include "harness/run/process/open_logs.h"
#include "harness/run/process/process_launcher.h"
#include "harness/run/process/trial_files.h"
#include "harness/study/parameters/secret.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

constexpr double kPatience_s = 86'400.0;

std::set<fs::path> build_folders(const Study& study,
                                 const std::map<std::string, LaunchCommand>& commands,
                                 const std::map<std::string, Checkout>& checkouts) {
  std::set<fs::path> folders;
  if (study.workload == Workload::kCommand) {
    for (const auto& [hash, command] : commands) {
      folders.insert(command.working_folder);
    }
  } else {
    for (const auto& [side, checkout] : checkouts) {
      folders.insert(checkout.folder);
    }
  }
  return folders;
}

}  // namespace

void run_build(const Study& study,
               const std::map<std::string, LaunchCommand>& commands,
               const std::map<std::string, Checkout>& checkouts,
               const std::vector<std::string>& dropped,
               const fs::path& results,
               Launcher& launcher,
               const std::atomic<bool>& stop) {
  if (study.build.empty()) {
    return;
  }
  const fs::path logs = fs::absolute(results) / "logs" / study.name;
  const OpenLogs open(results, study, ".");
  int number = 0;
  for (const fs::path& folder : build_folders(study, commands, checkouts)) {
    LaunchRequest request;
    request.argv = study.build;
    request.environment = study.environment;
    request.environment["SCALESTUDY_STORE"] = store_mark(results);
    request.unset_environment = dropped;
    request.working_folder = folder;
    request.stdout_path = request.output_path = logs / fmt::format("build-{}.stdout", ++number);
    request.stderr_path = logs / fmt::format("build-{}.stderr", number);
    request.timeout_s = request.silence_s = kPatience_s;
    const TrialEvidence evidence{.launch = launcher.launch(request, stop),
                                 .record = {},
                                 .steps = {},
                                 .ranks = {},
                                 .stderr_tail = read_tail(request.stderr_path),
                                 .timeout_s = kPatience_s,
                                 .silence_s = kPatience_s,
                                 .secrets = secret_values(study)};
    if (evidence.launch.ending == LaunchEnding::kInterrupted) {
      throw Error(ErrorKind::kInterrupted, "build: stopped; nothing has been run");
    }
    if (const auto failure = judge_launch(evidence)) {
      throw Error(
          ErrorKind::kMachine,
          fmt::format("build in {}: {} (output: {})",
                      fs::absolute(folder.empty() ? "." : folder).lexically_normal().string(),
                      failure->reason,
                      request.stdout_path.string()));
    }
  }
}

}  // namespace scalestudy
