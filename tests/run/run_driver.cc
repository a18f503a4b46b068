// Runs a study to its end as the command line does, for tests that kill it: run_driver RESULTS
// STUDY.yaml
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <exception>
#include <thread>

#include "harness/base/error.h"
#include "harness/host/system_machine.h"
#include "harness/run/process/lock.h"
#include "harness/run/process/process_launcher.h"
#include "harness/run/run_study.h"
#include "harness/run/session/unstored.h"
#include "harness/study/parse.h"

namespace {

using namespace scalestudy;  // NOLINT(google-build-using-namespace): a program of tests

// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables): a handler has no argument
std::atomic<bool> stop_requested{false};

void request_stop(int /*signal*/) {
  stop_requested.store(true);
}

// A driver that was just killed leaves its supervisor holding the lock for the grace.
void wait_for_lock(const std::filesystem::path& results) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    try {
      const RunLock lock(results);
      return;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kLocked) {
        throw;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
}

int run(const char* results, const char* study_path) {
  constexpr double grace_s = 0.3;
  wait_for_lock(results);
  const RunLock lock(results);
  end_leftovers(results, grace_s);
  const Study study = load_study(study_path, {});
  Store store = Store::open(results);
  store_unstored(store);
  ProcessLauncher launcher(grace_s);
  SystemMachine machine;
  const SystemClock clock;
  const RunWorld world{.launcher = launcher,
                       .machine = machine,
                       .clock = clock,
                       .precision = [](const std::vector<TrialMean>&) { return Precision(); }};
  const RunSummary summary = run_study(
      study, store, world, RunOptions(), [](const Progress&) {}, stop_requested);
  if (summary.interrupted) {
    return static_cast<int>(ExitCode::kInterrupted);
  }
  const bool all_ok = summary.states.size() == 1 && summary.states.contains(TrialState::kOk);
  return static_cast<int>(all_ok ? ExitCode::kDone : ExitCode::kFailedTrials);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    return static_cast<int>(ExitCode::kUsage);
  }
  std::signal(SIGINT, request_stop);
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(ExitCode::kInternalError);
  }
}
