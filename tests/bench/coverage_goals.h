// Goals of the coverage bench: shares that must stay within a band.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/stats/simulation/experiment.h"

namespace scalestudy::test {

// Met if at least one share was added and all lie within [low, high]; a share that is NaN does not.
class Goal {
 public:
  Goal(std::string id, std::string what, double low, double high)
      : id_(std::move(id)), what_(std::move(what)), low_(low), high_(high) {}

  void add(double share) {
    is_met_ = (shares_.empty() || is_met_) && low_ <= share && share <= high_;
    shares_.push_back(share);
  }

  [[nodiscard]] bool is_met() const { return is_met_; }
  [[nodiscard]] double least() const { return *std::min_element(shares_.begin(), shares_.end()); }
  [[nodiscard]] double most() const { return *std::max_element(shares_.begin(), shares_.end()); }

  // One line: met or not, the figures and the band.
  void print() const {
    if (shares_.empty()) {
      fmt::print("{} NOT MET: {}: nothing was counted\n", id_, what_);
      return;
    }
    fmt::print("{} {}: {}: {:.2f} to {:.2f} % over {} settings, band {:.1f} to {:.1f} %\n",
               id_,
               is_met_ ? "met" : "NOT MET",
               what_,
               100.0 * least(),
               100.0 * most(),
               shares_.size(),
               100.0 * low_,
               100.0 * high_);
  }

 private:
  std::string id_;
  std::string what_;
  double low_;
  double high_;
  bool is_met_ = false;
  std::vector<double> shares_;
};

// A share as a percentage, "94.9"; "-" if nothing was counted.
inline std::string percent(const test::Tally& tally) {
  return tally.total == 0 ? "-" : fmt::format("{:.1f}", 100.0 * tally.share());
}

// Prints all goals; true if all are met.
inline bool report(const std::vector<Goal>& goals) {
  bool all_met = true;
  for (const Goal& goal : goals) {
    goal.print();
    all_met = all_met && goal.is_met();
  }
  return all_met;
}

// Makes every check, each on the seeds after those that the one before took; true if all are met.
inline bool check_all(std::uint64_t seed,
                      std::initializer_list<bool (*)(std::uint64_t& seed)> checks) {
  bool all_met = true;
  for (const auto check : checks) {
    all_met = check(seed) && all_met;
  }
  return all_met;
}

}  // namespace scalestudy::test
