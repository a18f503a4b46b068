#include "harness/run/outcome/step_coverage.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// A look at which the stream had more lines with step times than at the one before.
struct Arrival {
  double at_s = 0.0;
  std::int64_t look = 0;
  std::size_t lines = 0;
  std::size_t values = 0;
};

std::vector<Arrival> find_arrivals(std::span<const LogGrowth> growth,
                                   std::span<const StepLine> lines) {
  std::vector<Arrival> arrivals;
  std::size_t next = 0;
  for (const LogGrowth& grown : growth) {
    const std::size_t before = next;
    while (next < lines.size() && lines[next].end_bytes <= grown.bytes) {
      ++next;
    }
    if (next > before) {
      arrivals.push_back({.at_s = grown.at_s,
                          .look = grown.look,
                          .lines = next,
                          .values = lines[next - 1].values});
    }
  }
  return arrivals;
}

// - arrivals: two or more.
bool are_single_lines(std::span<const Arrival> arrivals) {
  constexpr std::size_t least = 10;
  constexpr double hardly_more = 1.5;
  const Arrival& first = arrivals.front();
  const Arrival& last = arrivals.back();
  const std::size_t count = arrivals.size() - 1;
  return count >= least && (2 * static_cast<std::int64_t>(count) >= last.look - first.look ||
                            static_cast<double>(last.lines - first.lines) <=
                                hardly_more * static_cast<double>(count));
}

const SeriesRow* find_step_times(std::span<const SeriesRow> series) {
  const auto found = std::ranges::find_if(
      series, [](const SeriesRow& row) { return row.metric == names::kStepTime && !row.rank; });
  return found == series.end() ? nullptr : &*found;
}

// All steps of the trial over its wall time, also those between the lines.
std::optional<double> share_of(const TrialRecord& record) {
  const double share = steps_share(record.series, record.trial.wall_s)
                           .value_or(std::numeric_limits<double>::infinity()) *
                       covered_steps(record.telemetry);
  return std::isfinite(share) ? std::optional(share) : std::nullopt;
}

}  // namespace

std::optional<double> steps_share(std::span<const SeriesRow> series, std::optional<double> wall_s) {
  const SeriesRow* times = find_step_times(series);
  if (times == nullptr || !(wall_s.value_or(0.0) > 0.0)) {
    return std::nullopt;
  }
  const double share =
      std::accumulate(times->values.begin(),
                      times->values.end(),
                      0.0,
                      [](double sum, double value) {
                        return std::isnan(value) ? sum : sum + value;  // missing in the warm-up
                      }) /
      *wall_s;
  return std::isfinite(share) ? std::optional(share) : std::nullopt;
}

std::optional<double> arrival_step_s(std::span<const LogGrowth> growth,
                                     const StepLines& lines,
                                     std::size_t steps) {
  constexpr std::size_t stretches = 5;
  std::vector<Arrival> arrivals = find_arrivals(growth, lines.lines);
  if (!arrivals.empty()) {
    arrivals.pop_back();  // what a program writes as it ends may have waited in its buffer
  }
  if (arrivals.size() < 2 || steps == 0 || !are_single_lines(arrivals)) {
    return std::nullopt;
  }
  const double values_per_step = static_cast<double>(lines.values) / static_cast<double>(steps);
  const std::size_t length = (arrivals.size() - 1) / stretches;
  std::vector<double> times_s;
  for (std::size_t i = 0; i + length < arrivals.size(); i += length) {
    const Arrival& from = arrivals[i];
    const Arrival& until = arrivals[i + length];
    times_s.push_back((until.at_s - from.at_s) * values_per_step /
                      static_cast<double>(until.values - from.values));
  }
  const auto middle = times_s.begin() + std::ssize(times_s) / 2;
  std::ranges::nth_element(times_s, middle);
  return *middle;
}

void take_step_coverage(const LaunchResult& launch, const StepLines& lines, TrialRecord& record) {
  record.trial.steps_share = share_of(record);
  if (const SeriesRow* times = find_step_times(record.series)) {
    const auto line_s = arrival_step_s(
        lines.stream == ExtractSource::kStdout ? launch.out_growth : launch.err_growth,
        lines,
        times->values.size());
    record.trial.arrival_step_s =
        line_s ? std::optional(*line_s / covered_steps(record.telemetry)) : std::nullopt;
  }
}

void take_step_coverage(std::span<const SeriesRow> before, TrialRecord& record) {
  record.trial.steps_share = share_of(record);
  const SeriesRow* old = find_step_times(before);
  const SeriesRow* now = find_step_times(record.series);
  if (old == nullptr || now == nullptr || old->values.size() != now->values.size() ||
      covered_steps(record.telemetry) != 1.0) {  // of the earlier reading it is not known
    record.trial.arrival_step_s.reset();
  }
}

}  // namespace scalestudy
