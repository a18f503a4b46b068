#include "stats/robust_error.h"

#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

std::optional<RobustError> over_blocks(std::span<const double> influence,
                                       std::span<const double> residuals,
                                       std::span<const std::int64_t> blocks) {
  struct Block {
    double sum = 0.0;
    std::size_t trials = 0;
  };
  std::map<std::int64_t, Block> by_block;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    Block& block = by_block[blocks[i]];
    block.sum += influence[i] * residuals[i];
    ++block.trials;
  }
  double squares = 0.0;
  double count = 0.0;
  for (const auto& [number, block] : by_block) {
    if (block.trials >= 2) {
      squares += block.sum * block.sum;
      count += 1.0;
    }
  }
  return count < 2.0 ? std::nullopt
                     : std::optional(RobustError{.se = std::sqrt(squares * count / (count - 1.0)),
                                                 .df = count - 1.0});
}

std::optional<RobustError> inside_cells(std::span<const double> influence,
                                        std::span<const double> residuals,
                                        std::span<const std::int64_t> cells) {
  std::map<std::int64_t, std::vector<double>> by_cell;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    by_cell[cells[i]].push_back(influence[i] * residuals[i]);
  }
  double variance = 0.0;
  double spent = 0.0;
  for (const auto& [cell, moves] : by_cell) {
    const std::optional<double> sd = standard_deviation(moves);
    if (!sd) {
      return std::nullopt;
    }
    const double of_cell = *sd * *sd * static_cast<double>(moves.size());
    variance += of_cell;
    spent += of_cell * of_cell / static_cast<double>(moves.size() - 1);
  }
  // Of values without any spread every number of degrees of freedom says the same.
  return RobustError{.se = std::sqrt(variance),
                     .df = spent > 0.0 ? variance * variance / spent : 1.0};
}

}  // namespace

std::optional<RobustError> robust_error(std::span<const double> influence,
                                        std::span<const double> residuals,
                                        const TrialGroups& groups) {
  return groups.blocks.empty() ? inside_cells(influence, residuals, groups.cells)
                               : over_blocks(influence, residuals, groups.blocks);
}

}  // namespace scalestudy::stats
