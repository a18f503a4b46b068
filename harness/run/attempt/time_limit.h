// How long a trial may take when its study does not say.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "harness/study/declared/study.h"

namespace scalestudy {

// The limit of a trial of which nothing is known yet, and of what runs beside trials.
inline constexpr double kFirstTimeLimitS = 600.0;

struct TimeLimit {
  double limit_s = kFirstTimeLimitS;
  // Wall time of the ok trial that limit_s is 10 times of; absent: declared, or kFirstTimeLimitS.
  std::optional<double> longest_s;
};

// Time limits of a session's trials: limits.timeout, if declared. Otherwise 10 times the longest ok
// trial of the cell, 1 min at least, so that a trial that hangs does not cost the night. Before the
// cell's first ok trial: 10 min, or 10 times the longest of other cells if that is more.
class TimeLimits {
 public:
  explicit TimeLimits(const Limits& declared) : declared_s_(declared.timeout_s) {}

  // Takes in an ok trial of the cell.
  void add(std::int64_t cell_id, double wall_s) {
    double& longest_s = longest_s_[cell_id];
    longest_s = std::max(longest_s, wall_s);
    longest_of_all_s_ = std::max(longest_of_all_s_, wall_s);
  }

  [[nodiscard]] TimeLimit of(std::int64_t cell_id) const {
    constexpr double times = 10.0;
    constexpr double least_s = 60.0;
    if (declared_s_) {
      return {.limit_s = *declared_s_, .longest_s = {}};
    }
    if (const auto cell = longest_s_.find(cell_id); cell != longest_s_.end()) {
      return {.limit_s = std::max(least_s, times * cell->second), .longest_s = cell->second};
    }
    if (times * longest_of_all_s_ > kFirstTimeLimitS) {
      return {.limit_s = times * longest_of_all_s_, .longest_s = longest_of_all_s_};
    }
    return {};
  }

 private:
  std::optional<double> declared_s_;
  std::map<std::int64_t, double> longest_s_;  // wall time of the longest ok trial, by cell
  double longest_of_all_s_ = 0.0;
};

}  // namespace scalestudy
