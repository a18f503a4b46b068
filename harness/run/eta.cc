#include "harness/run/eta.h"

namespace scalestudy {

void Eta::add_finished(std::int64_t cell_id, double wall_s) {
  for (Mean* mean : {&cells_[cell_id], &all_}) {
    mean->sum_s += wall_s;
    ++mean->count;
  }
}

std::optional<double> Eta::trial_s(std::int64_t cell_id) const {
  if (all_.count == 0) {
    return std::nullopt;
  }
  const auto found = cells_.find(cell_id);
  const Mean& mean = found == cells_.end() ? all_ : found->second;
  return mean.sum_s / static_cast<double>(mean.count);
}

std::optional<double> Eta::total_s(const std::map<std::int64_t, std::int64_t>& left) const {
  if (all_.count == 0) {
    return std::nullopt;
  }
  double total_s = 0.0;
  for (const auto& [cell_id, count] : left) {
    total_s += static_cast<double>(count) * trial_s(cell_id).value_or(0.0);
  }
  return total_s;
}

}  // namespace scalestudy
