#include "stats/block_effects.h"

#include <algorithm>
#include <map>

#include "stats/check.h"
#include "stats/least_squares.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

// The numbers of a factor as 0, 1, ... in increasing order.
struct Factor {
  explicit Factor(std::span<const std::int64_t> labels) {
    std::map<std::int64_t, std::size_t> places;
    for (const std::int64_t label : labels) {
      places.emplace(label, 0);
    }
    for (auto& [label, place] : places) {
      place = count++;
    }
    for (const std::int64_t label : labels) {
      of.push_back(places.at(label));
    }
  }

  std::size_t count = 0;
  std::vector<std::size_t> of;  // per value
};

struct BlockLayout {
  BlockLayout(std::span<const double> y, const Factor& cells, const Factor& blocks)
      : counts(blocks.count, std::vector<double>(cells.count, 0.0)),
        block_n(blocks.count, 0.0),
        block_mean(blocks.count, 0.0) {
    for (std::size_t i = 0; i < y.size(); ++i) {
      counts[blocks.of[i]][cells.of[i]] += 1.0;
      block_n[blocks.of[i]] += 1.0;
      block_mean[blocks.of[i]] += y[i];
    }
    for (std::size_t k = 0; k < blocks.count; ++k) {
      block_mean[k] /= block_n[k];
    }
  }

  std::vector<std::vector<double>> counts;  // (blocks, cells)
  std::vector<double> block_n;
  std::vector<double> block_mean;
};

// Whether a chain of common blocks leads from the first cell to every other.
bool is_connected(const BlockLayout& layout, std::size_t cell_count) {
  std::vector<bool> is_reached(cell_count, false);
  is_reached[0] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (const std::vector<double>& counts : layout.counts) {
      bool is_joined = false;
      for (std::size_t c = 0; c < cell_count; ++c) {
        is_joined = is_joined || (counts[c] > 0.0 && is_reached[c]);
      }
      for (std::size_t c = 0; is_joined && c < cell_count; ++c) {
        grows = grows || (counts[c] > 0.0 && !is_reached[c]);
        is_reached[c] = is_reached[c] || counts[c] > 0.0;
      }
    }
  }
  return std::find(is_reached.begin(), is_reached.end(), false) == is_reached.end();
}

// Levels of the cells with the blocks eliminated, the first at 0; empty when they are not
// connected. Cubic in cells.
std::vector<double> cell_levels(std::span<const double> y,
                                const Factor& cells,
                                const Factor& blocks,
                                const BlockLayout& layout) {
  if (cells.count == 1) {
    return {0.0};
  }
  if (!is_connected(layout, cells.count)) {
    return {};
  }
  std::vector<std::vector<double>> columns(cells.count - 1, std::vector<double>(cells.count, 0.0));
  std::vector<double> right(cells.count, 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) {
    right[cells.of[i]] += y[i] - layout.block_mean[blocks.of[i]];
    if (cells.of[i] > 0) {
      columns[cells.of[i] - 1][cells.of[i]] += 1.0;
    }
  }
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t row = 0; row < cells.count; ++row) {
      for (std::size_t column = 1; column < cells.count; ++column) {
        columns[column - 1][row] -=
            layout.counts[k][row] * layout.counts[k][column] / layout.block_n[k];
      }
    }
  }
  const auto solution = least_squares(columns, right);
  if (!solution) {
    return {};
  }
  std::vector<double> levels = {0.0};
  levels.insert(levels.end(), solution->coef.begin(), solution->coef.end());
  return levels;
}

// What each block adds, up to a constant; empty when the cells are not connected. Either factor may
// be eliminated: the larger one is.
std::vector<double> block_effects(std::span<const double> y,
                                  const Factor& cells,
                                  const Factor& blocks) {
  if (blocks.count < cells.count) {
    return cell_levels(y, blocks, cells, BlockLayout(y, blocks, cells));
  }
  const BlockLayout layout(y, cells, blocks);
  const std::vector<double> levels = cell_levels(y, cells, blocks, layout);
  if (levels.empty()) {
    return {};
  }
  std::vector<double> effects = layout.block_mean;
  for (std::size_t k = 0; k < blocks.count; ++k) {
    for (std::size_t c = 0; c < cells.count; ++c) {
      effects[k] -= layout.counts[k][c] / layout.block_n[k] * levels[c];
    }
  }
  return effects;
}

}  // namespace

BlockAdjusted take_out_blocks(std::span<const double> y,
                              std::span<const std::int64_t> cell,
                              std::span<const std::int64_t> block) {
  BlockAdjusted result;
  if (!all_finite(y) || cell.size() != y.size() || block.size() != y.size()) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (y.empty()) {
    return result;
  }
  const Factor cells(cell);
  const Factor blocks(block);
  const std::vector<double> effects = block_effects(y, cells, blocks);
  if (effects.empty()) {
    return result;
  }
  std::vector<double> taken;
  for (std::size_t i = 0; i < y.size(); ++i) {
    taken.push_back(effects[blocks.of[i]]);
  }
  const double centre = *mean(taken);
  for (std::size_t i = 0; i < y.size(); ++i) {
    result.values.push_back(y[i] - (taken[i] - centre));
  }
  result.df = blocks.count - 1;
  result.status = Status::kOk;
  return result;
}

}  // namespace scalestudy::stats
