#include "harness/run/session/adaptive.h"

#include <algorithm>
#include <iterator>

namespace scalestudy {

std::vector<TrialMean> mean_values(const BlockMeans& means) {
  std::vector<TrialMean> values;
  values.reserve(means.size());
  for (const auto& [block, mean] : means) {
    values.push_back(mean);
  }
  return values;
}

std::optional<std::int64_t> last_needed_block(const std::vector<BlockMeans>& cells,
                                              std::int64_t complete_blocks,
                                              const PrecisionRule& precision) {
  std::optional<std::int64_t> last;
  for (const BlockMeans& all : cells) {
    const BlockMeans means(all.begin(), all.lower_bound(complete_blocks));
    if (means.empty()) {
      continue;
    }
    const std::optional<std::int64_t> stop_at = precision(mean_values(means)).stop_at;
    if (!stop_at) {
      return std::nullopt;
    }
    last = std::max(last.value_or(0), std::next(means.begin(), *stop_at - 1)->first);
  }
  return last;
}

}  // namespace scalestudy
