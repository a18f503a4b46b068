#include "harness/cli/start/empty_launch.h"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "harness/base/scratch_folder.h"
#include "harness/run/process/process_launcher.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {

std::optional<EmptyLaunch> time_empty_launch(const std::vector<std::string>& argv,
                                             const std::atomic<bool>& stop) {
  constexpr int times = 20;
  const ScratchFolder folder("time");
  LaunchRequest request;
  request.argv = argv;
  request.stdout_path = folder.file("stdout");
  request.stderr_path = folder.file("stderr");
  request.output_path = folder.file("protocol");
  ProcessLauncher launcher;
  std::vector<double> walls_s;
  for (int i = 0; i < times; ++i) {
    const LaunchResult launch = launcher.launch(request, stop);
    if (launch.exit_code != 0) {
      return std::nullopt;
    }
    walls_s.push_back(launch.wall_s);
  }
  EmptyLaunch empty{.mean_s = std::accumulate(walls_s.begin(), walls_s.end(), 0.0) / times,
                    .sd_s = 0.0};
  for (const double wall_s : walls_s) {
    empty.sd_s += (wall_s - empty.mean_s) * (wall_s - empty.mean_s) / (times - 1);
  }
  empty.sd_s = std::sqrt(empty.sd_s);
  return empty;
}

std::string short_command_warning(const EmptyLaunch& empty, double shortest_s) {
  constexpr double most = 0.02;
  if (empty.sd_s <= most * shortest_s) {
    return "";
  }
  return fmt::format(
      "the shortest command takes only {}. Starting an empty command takes {} and varies by {}, "
      "which is {} of the shortest command's time: small differences between these commands cannot "
      "be seen. Let each "
      "command do its work several times",
      format_duration(shortest_s),
      format_duration(empty.mean_s),
      format_duration(empty.sd_s),
      format_percent(std::round(100.0 * empty.sd_s / shortest_s) / 100.0));
}

}  // namespace scalestudy
