#include "stats/reference/steady_state.h"

#include <vector>

#include "stats/check.h"
#include "stats/summary.h"

namespace scalestudy::stats {

SteadyState mser5(std::span<const double> x, std::size_t batch) {
  constexpr std::size_t least_batches = 10;
  constexpr std::size_t least_kept = 5;
  SteadyState result;
  if (!all_finite(x) || batch == 0) {
    result.status = Status::kInvalidInput;
    return result;
  }
  result.batches = x.size() / batch;
  if (result.batches < least_batches) {
    return result;
  }
  std::vector<double> means;
  for (std::size_t k = 0; k < result.batches; ++k) {
    means.push_back(moments(x.subspan(k * batch, batch)).mean);
  }
  std::size_t best = 0;
  for (std::size_t d = 0; d + least_kept <= means.size(); ++d) {
    const Moments kept = moments(std::span<const double>(means).subspan(d));
    const auto count = static_cast<double>(kept.n);
    const double mser = kept.variance * (count - 1.0) / (count * count);
    if (!result.mser_min || mser < *result.mser_min) {
      result.mser_min = mser;
      best = d;
    }
  }
  result.truncate_batches = best;
  result.truncate_steps = best * batch;
  result.status = 2 * best > result.batches ? Status::kNoSteadyState : Status::kOk;
  return result;
}

}  // namespace scalestudy::stats
