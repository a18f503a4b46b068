#include "stats/isotonic.h"

#include <cstddef>

#include "stats/check.h"

namespace scalestudy::stats {

IsotonicFit isotonic(std::span<const double> y, std::span<const double> w) {
  IsotonicFit result;
  if (!all_finite(y) || !all_positive(w) || y.size() != w.size()) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (y.empty()) {
    return result;
  }
  struct Block {
    double mean;
    double weight;
    std::size_t size;
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < y.size(); ++i) {
    blocks.push_back({.mean = y[i], .weight = w[i], .size = 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean > blocks.back().mean) {
      const Block last = blocks.back();
      blocks.pop_back();
      Block& before = blocks.back();
      const double weight = before.weight + last.weight;
      before.mean += (last.mean - before.mean) * (last.weight / weight);
      before.weight = weight;
      before.size += last.size;
    }
  }
  result.status = Status::kOk;
  for (const Block& block : blocks) {
    result.fit.insert(result.fit.end(), block.size, block.mean);
  }
  return result;
}

}  // namespace scalestudy::stats
