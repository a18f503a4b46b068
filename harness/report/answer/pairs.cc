#include "harness/report/answer/pairs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "harness/report/answer/target_answers.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "harness/study/declared/step_work.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// Whether some measured cell has another value: a declared axis may have one value alone.
bool varies(const ReportInput& input, const CellRow::Parameter& parameter) {
  return std::ranges::any_of(input.cells, [&](const CellRow& cell) {
    const CellRow::Parameter* theirs = find_varied(cell, parameter.name);
    return cell.role == CellRole::kMeasured &&
           (theirs == nullptr || theirs->value != parameter.value);
  });
}

// What both cells have alike, of what is varied.
std::string common(const ReportInput& input, const CellRow& cell, const CellRow& base) {
  if (input.common_base() != nullptr) {
    return "";  // all that does not set it apart
  }
  const auto is_alike_in = [&](const CellRow::Parameter& parameter) {
    const CellRow::Parameter* theirs = find_varied(base, parameter.name);
    return !is_batch(parameter.name) && theirs != nullptr && theirs->value == parameter.value &&
           varies(input, parameter);
  };
  const std::string rest = name_parameters(cell, is_alike_in, input.declared.labels);
  const bool is_alike = fixed_batch(input, cell) == fixed_batch(input, base);
  const std::string batch = is_alike ? batch_name(input, cell) : "";
  return rest + (rest.empty() || batch.empty() ? "" : ", ") + batch;
}

// All in which the cell differs from the other one.
std::string name_fully(const ReportInput& input, const CellRow& cell, const CellRow& other) {
  const auto differs = [&](const CellRow::Parameter& parameter) {
    const CellRow::Parameter* theirs = find_varied(other, parameter.name);
    return theirs == nullptr || theirs->value != parameter.value;
  };
  return name_parameters(cell, differs, input.declared.labels);
}

// Cells of one base that would have the same name also say the batch and nodes that follow from
// their devices.
void tell_apart(const ReportInput& input, std::vector<Pair>& pairs) {
  std::map<std::pair<const CellRow*, std::string>, int> cells;
  for (const Pair& pair : pairs) {
    ++cells[{pair.base, pair.name}];
  }
  for (Pair& pair : pairs) {
    if (cells.at({pair.base, pair.name}) > 1) {
      pair.name = name_fully(input, *pair.cell, *pair.base);
      pair.base_name = name_fully(input, *pair.base, *pair.cell);
    }
  }
}

}  // namespace

bool is_usable(const ComparisonRow& row) {
  return row.value && row.verdict != Verdict::kNotEnoughData && is_claim(row.verdict);
}

bool wants_verdict(const ReportInput& input, const Pair& pair) {
  return (!input.declared.largest || pair.is_within) &&
         (pair.speedup->verdict != Verdict::kUnknownWork || goes_by_speed(input.declared));
}

std::string verdict_note(const ComparisonRow& row) {
  const bool is_without_spread =
      row.verdict == Verdict::kNotEnoughData && row.status == RowStatus::kZeroVariance;
  return is_open_by_adjustment(row) ? " (not after adjustment)"
         : is_without_spread        ? " (no spread, so the ratio may be rounding)"
                                    : "";
}

std::string noted_verdict(const ComparisonRow& row) {
  return to_word(row.verdict) + verdict_note(row);
}

std::set<std::int64_t> unapplied_cells(const ReportInput& input) {
  std::set<std::int64_t> cells;
  for (const ComparisonRow& row : input.results.comparisons) {
    if (row.verdict != Verdict::kNotApplied && row.verdict != Verdict::kUnconfirmed) {
      continue;
    }
    // A row older than schema version 27 does not say which side it is.
    const CellIds sides = {row.cell_id, row.baseline_cell_id};
    const CellIds& doubted = row.doubted_cells.empty() ? sides : row.doubted_cells;
    cells.insert(doubted.begin(), doubted.end());
  }
  return cells;
}

std::vector<Pair> pairs_of(const ReportInput& input) {
  std::vector<Pair> pairs;
  for (const Group& group : group_cells(input)) {
    for (const CellRow* cell : group.cells) {
      const ComparisonRow* speedup = input.comparison(cell->id, names::kSpeedup);
      if (speedup == nullptr) {
        continue;
      }
      const CellRow& base = input.cell(speedup->baseline_cell_id);
      const bool is_choice =
          conditions_of(*cell, input.declared) == conditions_of(base, input.declared);
      pairs.push_back({cell,
                       &base,
                       speedup,
                       describe_against(*cell, base, input.declared.labels),
                       describe_against(base, *cell, input.declared.labels),
                       common(input, *cell, base),
                       keeps_limits(input, *cell) && keeps_limits(input, base),
                       is_choice});
    }
  }
  tell_apart(input, pairs);
  return pairs;
}

std::vector<Pair> techniques_of(const ReportInput& input) {
  std::vector<Pair> pairs = pairs_of(input);
  std::erase_if(pairs, [](const Pair& pair) {
    return pair.cell->devices != pair.base->devices || pair.cell->nodes != pair.base->nodes ||
           pair.cell->batch_global != pair.base->batch_global || !pair.speedup->value ||
           !pair.is_choice;
  });
  std::ranges::stable_sort(pairs, std::ranges::greater(), [](const Pair& pair) {
    return std::pair(is_claim(pair.speedup->verdict), *pair.speedup->value);
  });
  return pairs;
}

std::vector<const CellRow*> sides_of(const std::vector<Pair>& pairs) {
  std::vector<const CellRow*> cells;
  for (const Pair& pair : pairs) {
    cells.insert(cells.end(), {pair.base, pair.cell});
  }
  return cells;
}

bool are_of_devices(const std::vector<Pair>& pairs) {
  return std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) {
    return pair.cell->devices != pair.base->devices;
  });
}

}  // namespace scalestudy::report
