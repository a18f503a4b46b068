#include "harness/run/adaptive.h"

#include <algorithm>

namespace scalestudy {
namespace {

constexpr std::int64_t kExtraBlocks = 2;

}  // namespace

std::vector<double> means_until(const BlockMeans& means, std::int64_t last) {
  std::vector<double> values;
  for (const auto& [block, mean] : means) {
    if (block <= last) {
      values.push_back(mean);
    }
  }
  return values;
}

std::optional<std::int64_t> last_needed_block(const std::vector<BlockMeans>& cells,
                                              std::int64_t complete_blocks,
                                              const Trials& trials,
                                              const PrecisionRule& precision) {
  const auto is_enough = [&](const BlockMeans& means, std::int64_t block) {
    const std::vector<double> values = means_until(means, block);
    return static_cast<std::int64_t>(values.size()) >= trials.min && precision(values).enough;
  };
  for (std::int64_t block = std::max(trials.min, 1) - 1; block < complete_blocks; ++block) {
    if (std::all_of(cells.begin(), cells.end(), [&](const BlockMeans& means) {
          return is_enough(means, block);
        })) {
      return block + kExtraBlocks;
    }
  }
  return std::nullopt;
}

}  // namespace scalestudy
