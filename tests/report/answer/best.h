// Comparisons with the best cell.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::test {

// Each cell of a base against the best: of these devices, at each batch.
inline void add_best(report::ReportInput& input,
                     const std::string& quantity,
                     const std::vector<std::int64_t>& best,
                     Verdict others) {
  const std::vector<CellRow> cells = input.cells;
  for (const CellRow& cell : cells) {
    const std::size_t batch = cell.batch_global == 64 ? 0 : cell.batch_global == 256 ? 1 : 2;
    if (cell.role != CellRole::kMeasured || cell.excluded_reason ||
        cell.devices == best.at(batch)) {
      continue;
    }
    const auto base = std::ranges::find_if(cells, [&](const CellRow& other) {
      return other.role == CellRole::kMeasured && other.batch_global == cell.batch_global &&
             other.devices == best.at(batch);
    });
    ComparisonRow row;
    row.cell_id = cell.id;
    row.baseline_cell_id = base->id;
    row.quantity = quantity;
    row.value = 0.8;
    row.verdict = others;
    input.results.comparisons.push_back(row);
  }
  input.make_index();
}

}  // namespace scalestudy::test
