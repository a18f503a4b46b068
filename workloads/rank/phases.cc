#include "workloads/rank/phases.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "workloads/names/names.h"

namespace scalestudy::rank {
namespace {

constexpr std::size_t kLeastBlock = 10;
constexpr double kTolerance = 0.02;
// Two medians of b values differ by 1.77 s / sqrt(b) in one standard error, s being the spread of
// one value: sqrt(2) * 1.2533. Neighbouring steps are correlated, which makes it more.
constexpr double kNoiseFactor = 2.0;
constexpr double kStandardError = 1.7725;
constexpr double kNormalMad = 1.4826;
// A warm-up that does not settle ends at kCap times its floors and kLeastToMark steps, or, where
// steps are so slow that this takes longer, at kTimeCap times its floor in time.
constexpr std::size_t kCap = 4;
constexpr double kTimeCap = 20.0;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Of each turn, so that steps which differ by their place in it are not taken for a change.
std::vector<double> turn_times_s(std::span<const double> step_times_s, std::size_t turn_steps) {
  std::vector<double> times_s;
  for (std::size_t i = 0; i + turn_steps <= step_times_s.size(); i += turn_steps) {
    const std::span<const double> turn = step_times_s.subspan(i, turn_steps);
    times_s.push_back(std::accumulate(turn.begin(), turn.end(), 0.0));
  }
  return times_s;
}

// Distances of `values` from `centre`, behind those already in `distances`.
void add_distances(std::span<const double> values, double centre, std::vector<double>& distances) {
  for (const double value : values) {
    distances.push_back(std::abs(value - centre));
  }
}

std::size_t block_of(std::size_t steps) {
  return std::max(kLeastBlock, steps / 4);
}

}  // namespace

std::size_t Floors::most_warmup_steps() const {
  return has_times() ? std::max(warmup_steps, kMostSteps / turn_steps * turn_steps) : warmup_steps;
}

std::size_t Floors::most_measured_steps() const {
  return measured_time_s > 0.0 ? std::max(measured_steps, kMostSteps / turn_steps * turn_steps)
                               : measured_steps;
}

std::map<std::string, double> PhaseLengths::facts(const Floors& floors) const {
  std::map<std::string, double> facts;
  if (measured_until_s > 0.0) {
    facts["measured_from_s"] = measured_from_s;
    facts["measured_until_s"] = measured_until_s;
  }
  if (!floors.has_times()) {
    return facts;
  }
  facts[names::kWarmupTime] = warmup_time_s;
  if (is_steady) {
    facts["is_steady"] = *is_steady ? 1.0 : 0.0;
  }
  return facts;
}

bool is_steady(std::span<const double> step_times_s) {
  const std::size_t count = step_times_s.size();
  if (count < kLeastToJudge) {
    return false;
  }
  const std::size_t block = block_of(count);
  const std::span<const double> last = step_times_s.last(block);
  const std::span<const double> before = step_times_s.subspan(count - 2 * block, block);
  const double last_s = median({last.begin(), last.end()});
  const double before_s = median({before.begin(), before.end()});
  std::vector<double> distances;
  add_distances(last, last_s, distances);
  add_distances(before, before_s, distances);
  const double noise_s = kNoiseFactor * kStandardError * kNormalMad * median(std::move(distances)) /
                         std::sqrt(static_cast<double>(block));
  return std::abs(last_s - before_s) <= std::max(kTolerance * before_s, noise_s);
}

bool WarmUp::judge(std::size_t done, std::span<const double> step_times_s) {
  lengths_ = {.warmup = done, .measured = floors_.measured_steps};
  if (!floors_.has_times()) {
    return true;
  }
  lengths_.warmup_time_s = std::accumulate(step_times_s.begin(), step_times_s.end(), 0.0);
  const double spent_s = lengths_.warmup_time_s;
  const std::size_t turn = floors_.turn_steps;
  const std::vector<double> times_s = turn_times_s(step_times_s, turn);
  const bool is_found_steady = is_steady(times_s);
  const std::size_t most_steps = floors_.most_warmup_steps();
  const bool is_capped =
      done >= most_steps || spent_s >= kTimeCap * floors_.warmup_time_s ||
      (done / turn >= std::max(kCap * floors_.warmup_steps / turn, kLeastToMark) &&
       spent_s >= static_cast<double>(kCap) * floors_.warmup_time_s);
  const bool is_settled = is_found_steady && spent_s >= floors_.warmup_time_s;
  if (times_s.empty() || (!is_capped && !is_settled)) {
    next_ = std::min(done + turn * std::max(kLeastBlock, done / turn / 8), most_steps);
    return false;
  }
  // Without a time to warm up for, nobody asked.
  if (floors_.warmup_time_s > 0.0 && (is_found_steady || times_s.size() >= kLeastToMark)) {
    lengths_.is_steady = is_found_steady;
  }
  // The median: one stall in the block must not make the window shorter than was asked for.
  const std::size_t block = std::min(times_s.size(), block_of(times_s.size()));
  const double turn_s = median({times_s.end() - static_cast<std::ptrdiff_t>(block), times_s.end()});
  const double most =
      static_cast<double>(floors_.most_measured_steps()) / static_cast<double>(turn);
  // Turns too short for the clock take no time: then 0 / 0 is no number, and `most` stays.
  const double wanted = std::min(most, std::ceil(floors_.measured_time_s / turn_s));
  lengths_.measured = std::max(floors_.measured_steps, static_cast<std::size_t>(wanted) * turn);
  return true;
}

bool WarmUp::is_over(const World& world, std::size_t done, std::span<const double> step_times_s) {
  struct Finding {
    bool is_over = false;
    std::size_t next = 0;
    PhaseLengths lengths;
  } finding;
  if (world.rank() == 0) {
    finding.is_over = judge(done, step_times_s);
    finding.next = next_;
    finding.lengths = lengths_;
  }
  world.send_from_root(std::as_writable_bytes(std::span(&finding, 1)));
  next_ = finding.next;
  lengths_ = finding.lengths;
  return finding.is_over;
}

}  // namespace scalestudy::rank
