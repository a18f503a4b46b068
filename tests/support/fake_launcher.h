// A launcher that starts nothing: each launch is one call of the test's function.
#pragma once

#include <fstream>
#include <functional>
#include <vector>

#include "harness/run/process/launcher.h"

namespace scalestudy::test {

class FakeLauncher final : public Launcher {
 public:
  // What a trial does: writes its files, returns how it ended.
  using Trial = std::function<LaunchResult(const LaunchRequest&)>;

  explicit FakeLauncher(Trial trial) : trial_(std::move(trial)) {}

  LaunchResult launch(const LaunchRequest& request, const std::atomic<bool>& stop) override {
    requests.push_back(request);
    LaunchResult result = trial_(request);
    if (stop.load()) {
      result.ending = LaunchEnding::kInterrupted;
    }
    return result;
  }

  // NOLINTNEXTLINE(misc-non-private-member-variables-in-classes): tests read them
  std::vector<LaunchRequest> requests;  // in order

 private:
  Trial trial_;
};

// Writes a protocol file with these step times, the first `warmup` of them warm-up, and ends well.
inline LaunchResult good_trial(const LaunchRequest& request,
                               int warmup,
                               const std::string& step_times,
                               int ranks = 1) {
  std::ofstream(request.output_path)
      << R"({"v":1,"event":"start","workload":"train","ranks":)" << ranks << "}\n"
      << R"({"v":1,"event":"samples","metric":"step_time_s","unit":"s","warmup":)" << warmup
      << ",\"values\":[" << step_times << "]}\n"
      << R"({"v":1,"event":"end","ok":true})"
      << "\n";
  LaunchResult result;
  result.ending = LaunchEnding::kExited;
  result.exit_code = 0;
  result.wall_s = 2.0;
  result.cpu_s = 1.0;
  return result;
}

}  // namespace scalestudy::test
