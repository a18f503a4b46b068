#include "workloads/model/stages.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "workloads/model/shape/residual_shape.h"

namespace scalestudy::model {
namespace {

std::vector<std::size_t> widths_of(const MlpSpec& spec) {
  std::vector<std::size_t> widths(spec.widths.rbegin() + 1, spec.widths.rend());
  widths.back() = 0;
  return widths;
}

std::vector<std::size_t> widths_of(const TransformerSpec& spec) {
  std::vector<std::size_t> widths(spec.layers + 2, spec.tokens * spec.width);
  widths.back() = 0;
  return widths;
}

// What pools goes with the unit before it.
std::vector<std::size_t> widths_of(const ResidualSpec& spec) {
  const std::vector<ResidualBlockShape> blocks = residual_blocks(spec, 1);
  std::vector<std::size_t> widths = {blocks.back().expand.output_channels};
  for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
    const ops::ConvolutionShape& input = block->reduce;
    widths.push_back(input.height * input.width * input.channels);
  }
  widths.push_back(0);
  return widths;
}

std::vector<std::size_t> widths_of(const RecurrentSpec& spec) {
  return {spec.width, 0};
}

// Of the best division of the first units into some stages.
struct Division {
  double most_flop = std::numeric_limits<double>::infinity();
  double squares = 0.0;
  std::size_t last_begins = 0;  // its last stage

  bool is_better_than(const Division& other) const {
    return std::pair(most_flop, squares) < std::pair(other.most_flop, other.squares);
  }
};

}  // namespace

std::vector<UnitRun> divide_units(const ModelSpec& spec, std::size_t stage_count) {
  const std::vector<double> flop = flop_by_unit(spec);
  const std::size_t count = flop.size();
  if (stage_count == 0 || stage_count > count) {
    throw std::invalid_argument(spec.name + " has " + std::to_string(count) +
                                " layers or blocks, which " + std::to_string(stage_count) +
                                " stages cannot share");
  }
  // [stages - 1][units - 1], units as forward meets them.
  std::vector<std::vector<Division>> best(stage_count, std::vector<Division>(count));
  for (std::size_t end = 1; end <= count; ++end) {
    double own = 0.0;
    for (std::size_t begin = end; begin-- > 0;) {
      own += flop[count - 1 - begin];
      if (begin == 0) {
        best[0][end - 1] = {own, own * own, 0};
      }
      for (std::size_t stage = 1; begin > 0 && stage < stage_count; ++stage) {
        const Division& before = best[stage - 1][begin - 1];
        const Division found = {std::max(before.most_flop, own), before.squares + own * own, begin};
        Division& known = best[stage][end - 1];
        if (found.is_better_than(known)) {
          known = found;
        }
      }
    }
  }
  std::vector<UnitRun> runs(stage_count);
  std::size_t end = count;
  for (std::size_t stage = stage_count; stage-- > 0;) {
    const std::size_t begin = best[stage][end - 1].last_begins;
    runs[stage] = {.first = count - end, .end = count - begin};
    end = begin;
  }
  return runs;
}

std::vector<std::size_t> input_widths(const ModelSpec& spec) {
  return std::visit([](const auto& shape) { return widths_of(shape); }, spec.shape);
}

std::vector<std::size_t> parameters_by_unit(const ModelSpec& spec,
                                            const std::vector<Unit>& units,
                                            std::size_t element_bytes) {
  const std::vector<std::size_t> elements = tensor_elements(spec);
  const std::vector<std::size_t> padded = padded_elements(spec, element_bytes);
  std::vector<std::size_t> counts;
  std::size_t tensor = 0;
  for (const Unit& unit : units) {
    std::size_t count = 0;
    for (std::size_t taken = 0; taken < unit.tensors; ++tensor) {
      taken += padded[tensor];
      count += elements[tensor];
    }
    counts.push_back(count);
  }
  return counts;
}

}  // namespace scalestudy::model
