#include "stats/reference/batch_means.h"

#include <algorithm>
#include <vector>

#include "stats/check.h"
#include "stats/summary.h"

namespace scalestudy::stats {

BatchMeans batch_means_ci(std::span<const double> x, double level) {
  constexpr std::size_t most_batches = 20;
  constexpr std::size_t least_batches = 5;
  constexpr std::size_t least_size = 5;
  BatchMeans result;
  if (!all_finite(x) || !is_level(level)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  result.batches = std::min(most_batches, x.size() / least_size);
  if (result.batches < least_batches) {
    return result;
  }
  const std::size_t size = x.size() / result.batches;
  const std::size_t dropped = x.size() - size * result.batches;
  std::vector<double> means;
  for (std::size_t k = 0; k < result.batches; ++k) {
    means.push_back(moments(x.subspan(dropped + k * size, size)).mean);
  }
  result.batch_size = size;
  result.dropped = dropped;
  result.interval = mean_ci_t(means, level);
  result.status = result.interval.status;
  return result;
}

}  // namespace scalestudy::stats
