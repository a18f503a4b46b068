// What starting a command costs by itself.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

// Wall times of an empty command, in seconds.
struct EmptyLaunch {
  double mean_s = 0.0;
  double sd_s = 0.0;
};

// Starts `argv`, a command that does nothing, 20 times as trials are started. Absent if it cannot
// be started or `stop` is set meanwhile.
std::optional<EmptyLaunch> time_empty_launch(const std::vector<std::string>& argv,
                                             const std::atomic<bool>& stop);

// A warning that starts vary by more than 2 % of the shortest time; "" if they do not.
std::string short_command_warning(const EmptyLaunch& empty, double shortest_s);

}  // namespace scalestudy
