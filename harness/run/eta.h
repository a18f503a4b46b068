// How long the rest of a run will take, from the trials that have finished.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace scalestudy {

// Mean wall time of each cell's trials; cells without one are taken as the mean of all trials.
class Eta {
 public:
  void add_finished(std::int64_t cell_id, double wall_s);

  // Absent before any trial has finished.
  [[nodiscard]] std::optional<double> trial_s(std::int64_t cell_id) const;

  // left  trials still to run, by cell.
  [[nodiscard]] std::optional<double> total_s(
      const std::map<std::int64_t, std::int64_t>& left) const;

 private:
  struct Mean {
    double sum_s = 0.0;
    std::int64_t count = 0;
  };
  std::map<std::int64_t, Mean> cells_;
  Mean all_;
};

}  // namespace scalestudy
