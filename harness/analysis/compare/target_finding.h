// Verdicts of targets, and the sentences that say them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/compare/target_reference.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// How values of a target's metric are printed.
struct TargetUnit {
  std::string name;               // "x" of a ratio, "s", "bytes"; "" of a pure number
  std::optional<double> largest;  // of the metric's values, which get one unit
};

// One cell of a target on its way to a row, complete but for its finding.
struct JudgedCell {
  const CellObservation* cell = nullptr;
  TargetResultRow row;
  TargetUnit unit;
  std::string missing{};   // why nothing can be decided
  bool is_lost = false;    // `missing` is how its trials ended
  std::string chosen{};    // which trials count with a later attempt, of a target that is met
  std::string sameness{};  // ", the same in all 6 trials" of a count that is compared as it is
  // Of a target with a source: "95 % of published:paper", the value, and power_text().
  std::string reference{};
  std::optional<TargetReference> origin{};
  std::string power{};
};

// The verdict by the row's interval alone.
TargetVerdict decide(const TargetResultRow& row);

// "wish: met for 2 devices: speedup 1.8x [1.7, 1.9], wanted at least 1.7x".
std::string describe_target(const JudgedCell& judged);

// The row of a target over several cells: met if every cell has met it, missed if some cell has.
TargetResultRow judge_whole(const TargetResultRow& declared, const std::vector<JudgedCell>& cells);

// What is said of a target without a cell.
std::string describe_no_cell(const TargetResultRow& declared,
                             const Parameters& where,
                             const TargetUnit& unit,
                             const std::string& reference);

}  // namespace scalestudy
