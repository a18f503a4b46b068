#include "stats/multiplicity.h"

#include <algorithm>
#include <cstddef>

#include "stats/check.h"

namespace scalestudy::stats {

AdjustedP holm(std::span<const std::optional<double>> p) {
  AdjustedP result;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] && !(*p[i] >= 0.0 && *p[i] <= 1.0)) {
      result.status = Status::kInvalidInput;
      return result;
    }
    if (p[i]) {
      order.push_back(i);
    }
  }
  result.adjusted.assign(p.begin(), p.end());
  std::stable_sort(
      order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return *p[i] < *p[j]; });
  double running = 0.0;  // maximum of (m - rank) p, from the smallest p up
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto factor = static_cast<double>(order.size() - rank);
    running = std::max(running, std::min(1.0, factor * *p[order[rank]]));
    result.adjusted[order[rank]] = running;
  }
  return result;
}

Resolution resolve(std::span<const std::optional<double>> p, double alpha, std::size_t more) {
  Resolution result;
  std::vector<double> members;
  for (const std::optional<double>& value : p) {
    if (value && !(*value >= 0.0 && *value <= 1.0)) {
      return {.status = Status::kInvalidInput, .alpha_star = 0.0};
    }
    if (value) {
      members.push_back(*value);
    }
  }
  if (!is_level(alpha)) {
    return {.status = Status::kInvalidInput, .alpha_star = 0.0};
  }
  std::ranges::sort(members);
  result.family = members.size() + more;
  const auto level = [&] {
    const std::size_t left = result.family - result.rejected;
    return alpha / static_cast<double>(std::max<std::size_t>(left, 1));
  };
  while (result.rejected < members.size() && members[result.rejected] < level()) {
    ++result.rejected;
  }
  result.alpha_star = level();
  return result;
}

Resolution resolve_all(std::size_t family, double alpha) {
  Resolution result;
  result.family = family;
  result.alpha_star = alpha / static_cast<double>(std::max<std::size_t>(family, 1));
  return result;
}

}  // namespace scalestudy::stats
