#include "harness/study/matrix/added_cells.h"

#include <algorithm>
#include <utility>

namespace scalestudy {

void add_cells(const Study& study,
               const std::function<Cell(const Parameters& declared)>& make,
               Matrix& matrix) {
  for (const Addition& addition : study.additions) {
    const auto like = std::ranges::find(matrix.cells, addition.cell, &Cell::hash);
    if (like == matrix.cells.end()) {
      continue;
    }
    const Blocks blocks{.first = addition.first_block,
                        .count = addition.blocks.value_or(study.trials.count)};
    if (!addition.value) {
      Blocks& before = like->blocks.back();  // that a larger trials.count made longer
      before.count = std::min(before.count, blocks.first - before.first);
      like->blocks.push_back(blocks);
      continue;
    }
    Parameters parameters = study.parameters;
    for (const Parameters* more : {&like->parameters, &like->varied}) {
      for (const auto& [name, value] : *more) {
        parameters[name] = value;
      }
    }
    parameters[addition.axis] = *addition.value;
    Cell cell = make(parameters);
    cell.blocks = {blocks};
    const auto known = std::ranges::find(matrix.cells, cell.hash, &Cell::hash);
    if (known == matrix.cells.end()) {
      matrix.cells.push_back(std::move(cell));
    } else {
      known->blocks = cell.blocks;
    }
  }
}

}  // namespace scalestudy
