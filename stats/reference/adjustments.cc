#include "stats/reference/adjustments.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace scalestudy::stats {

AdjustedP benjamini_hochberg(std::span<const std::optional<double>> p) {
  AdjustedP result = holm(p);
  std::vector<double> members;
  for (std::size_t i = 0; i < result.adjusted.size(); ++i) {
    if (p[i]) {
      members.push_back(*p[i]);
    }
  }
  std::ranges::sort(members);
  for (std::size_t i = 0; i < result.adjusted.size(); ++i) {
    if (!p[i]) {
      continue;
    }
    double least = 1.0;  // of m / rank p over the p values from this one up
    for (std::size_t rank = members.size(); rank > 0 && members[rank - 1] >= *p[i]; --rank) {
      const double factor = static_cast<double>(members.size()) / static_cast<double>(rank);
      least = std::min(least, factor * members[rank - 1]);
    }
    result.adjusted[i] = least;
  }
  return result;
}

AdjustedP bonferroni(std::span<const std::optional<double>> p) {
  AdjustedP result = holm(p);
  double members = 0.0;
  for (const std::optional<double>& value : p) {
    members += value ? 1.0 : 0.0;
  }
  for (std::size_t i = 0; i < result.adjusted.size(); ++i) {
    if (p[i]) {
      result.adjusted[i] = std::min(1.0, members * *p[i]);
    }
  }
  return result;
}

}  // namespace scalestudy::stats
