#include "harness/cli/run/on_finish.h"

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "harness/base/paths.h"
#include "harness/base/stop.h"
#include "harness/run/process/open_logs.h"
#include "harness/run/process/process_launcher.h"
#include "harness/study/parameters/secret.h"

namespace scalestudy {
namespace fs = std::filesystem;
namespace {

constexpr double kMostSeconds = 60.0;
constexpr std::int64_t kMostBytes = std::int64_t{16} << 20U;

std::string ending_text(const LaunchResult& ended) {
  switch (ended.ending) {
    case LaunchEnding::kExited:
      return fmt::format("ended with exit code {}", ended.exit_code.value_or(0));
    case LaunchEnding::kSignaled:
      return ended.signal ? fmt::format("was ended by signal {}", *ended.signal)
                          : "was ended by another process";
    case LaunchEnding::kTimeout:
    case LaunchEnding::kSilence:
      return fmt::format("was ended after {} s", kMostSeconds);
    case LaunchEnding::kInterrupted:
      return "was stopped";
    case LaunchEnding::kTooLong:
      return fmt::format("was ended: it printed more than {} MiB", kMostBytes >> 20U);
    case LaunchEnding::kNotStarted:
      break;
  }
  return "was not started: " + ended.message;
}

}  // namespace

void run_on_finish(const Study& study,
                   const std::string& results,
                   const std::string& summary,
                   Terminal& terminal) {
  if (study.on_finish.empty()) {
    return;
  }
  const fs::path folder = fs::absolute(results) / "logs" / study.name / "on_finish";
  const OpenLogs logs(results, study, "on_finish");
  std::error_code ignored;
  remove_tree(folder);
  create_private_folder(folder, ignored);
  std::ofstream(folder / "summary") << masked(summary, secret_values(study));
  LaunchRequest request;
  request.argv = {"sh", "-c", "exec \"$@\" <\"$0\"", (folder / "summary").string()};
  request.argv.insert(request.argv.end(), study.on_finish.begin(), study.on_finish.end());
  request.environment = {{"SCALESTUDY_STUDY", study.name},
                         {"SCALESTUDY_RESULTS", fs::absolute(results).string()},
                         {"SCALESTUDY_STORE", store_mark(results)}};
  request.stdout_path = folder / "stdout";
  request.stderr_path = folder / "stderr";
  request.output_path = folder / "output";
  request.timeout_s = kMostSeconds;
  request.silence_s = kMostSeconds;
  request.most_bytes = kMostBytes;
  const LaunchResult ended = ProcessLauncher().launch(request, stop_requested);
  if (ended.exit_code != 0) {
    terminal.warn(fmt::format("on_finish: {} {}; what it said is in {}",
                              study.on_finish.front(),
                              ending_text(ended),
                              (fs::path(results) / "logs" / study.name / "on_finish").string()));
  }
}

}  // namespace scalestudy
