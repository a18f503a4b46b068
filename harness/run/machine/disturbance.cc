#include "harness/run/machine/disturbance.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// NaN is beyond any limit.
bool is_beyond(double value, double limit) {
  return !(value <= limit);
}

// "throttled: ..."; "" within the limit.
std::string throttling(double limit, const std::vector<Reading>& readings, bool uses_gpus) {
  const auto find = [&](const char* name) {
    return std::ranges::find(readings, name, &Reading::name);
  };
  std::vector<std::string> slowed;
  for (const Reading& reading : readings) {
    const bool is_gpu = reading.name.starts_with("gpu") && reading.name.ends_with("_throttled");
    if ((is_gpu ? uses_gpus : reading.name == "cpu_throttled") && is_beyond(reading.value, limit)) {
      slowed.push_back(
          fmt::format("{} for {} of the time",
                      is_gpu ? reading.name.substr(0, reading.name.find('_')) : "cores",
                      format_percent(reading.value)));
    }
  }
  const auto events = find("cpu_throttle_events");
  if (find("cpu_throttled") == readings.end() && events != readings.end() &&
      is_beyond(events->value, 0.0) && limit < 1.0) {
    slowed.push_back(fmt::format("cores {} times", format_plain(events->value)));
  }
  return slowed.empty()
             ? ""
             : fmt::format("throttled: heat or the power supply slowed {} (validity.throttled: {})",
                           join(slowed, ", "),
                           format_percent(limit));
}

}  // namespace

Disturbed find_disturbance(const Validity& limits,
                           const Load& load,
                           const std::vector<Reading>& readings,
                           std::int64_t cores,
                           bool uses_gpus) {
  Disturbed found;
  found.why = throttling(limits.throttled, readings, uses_gpus);
  if (!found.why.empty()) {
    found.by = Disturbance::kThrottled;
  }
  // Clocks tick: of two cores others may seem to take 2.02.
  if (load.foreign &&
      is_beyond(std::min(*load.foreign / static_cast<double>(cores), 1.0), limits.foreign_load)) {
    found.by = found.by == Disturbance::kNone ? Disturbance::kForeignLoad : found.by;
    found.why += fmt::format(
        "{}foreign_load: other processes took {} of {} (validity.foreign_load: "
        "{} of the cores)",
        found.why.empty() ? "" : "; ",
        format_plain(*load.foreign),
        format_count(cores, "core"),
        format_percent(limits.foreign_load));
  }
  return found;
}

}  // namespace scalestudy
