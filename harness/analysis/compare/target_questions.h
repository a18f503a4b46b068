// What decides targets: the rows that they are judged by, and the questions that they ask.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/analysis/compare/questions.h"
#include "harness/analysis/compare/target_reference.h"

namespace scalestudy {

// What a target on one quantity is judged by: the rows of it, by cell.
class RowsByCell {
 public:
  RowsByCell(const Results& results, const std::string& quantity, Statistic statistic) {
    for (const ComparisonRow& row : results.comparisons) {
      if (row.quantity == quantity) {
        comparisons_.emplace(row.cell_id, &row);
      }
    }
    for (const EstimateRow& row : results.estimates) {
      if (row.metric == quantity && row.statistic == statistic && row.variant == Variant::kAll) {
        estimates_.emplace(row.cell_id, &row);
      }
    }
  }

  // nullptr where there is none.
  const ComparisonRow* comparison(std::int64_t cell_id) const { return in(comparisons_, cell_id); }
  const EstimateRow* estimate(std::int64_t cell_id) const { return in(estimates_, cell_id); }

 private:
  template <typename Row>
  using ById = std::unordered_map<std::int64_t, const Row*>;

  template <typename Row>
  static const Row* in(const ById<Row>& rows, std::int64_t cell_id) {
    const auto found = rows.find(cell_id);
    return found == rows.end() ? nullptr : found->second;
  }

  ById<ComparisonRow> comparisons_;
  ById<EstimateRow> estimates_;
};

// The rows of the metric, by the statistic that the study asks for.
RowsByCell rows_of(const Results& results, const std::string& metric, const Study& study);

// A cell's mean of a metric over its trials, in the metric's unit, with its interval.
struct CellMean {
  double value = 0.0;
  double lo = 0.0;
  double hi = 0.0;
  std::optional<double> se;
  double df = 0.0;
};

// Absent without an interval.
// - unit: the metric's, as the store has it
std::optional<CellMean> mean_of_cell(const CellObservation& cell,
                                     const std::string& metric,
                                     const std::string& unit,
                                     const Study& study);

// The questions about a metric that is compared with nothing: of all thresholds that are not
// relative, limits and targets without a source, over all cells that one of them names. What `cost`
// makes of the step time is judged by that time. Cells with an impossible_note() are in none.
std::vector<Question> ask_absolute(const std::string& metric,
                                   const StudyObservation& observation,
                                   const Study& study,
                                   const Results& results);

// Why the cell decides nothing although its trials do: "session 1 meets it and session 2 does not,
// which chance does not explain: p < 0.0001" (sessions_around()); else "".
// - row: with its value and level
std::string say_opposite_sessions(const CellObservation& cell,
                                  const TargetResultRow& row,
                                  const Study& study);

// Copies the measured interval into `row`; says what is missing otherwise.
std::string fill_value(const CellRow& cell, const RowsByCell& results, TargetResultRow& row);

// at_least or at_most: the level, or the share of a value from elsewhere.
double level_of(const Target& target);

// The reference of the target for that cell; nullptr without a source.
const TargetReference* reference_of(const Target& target,
                                    const CellObservation& cell,
                                    const TargetReferences& references);

// The questions of all targets on the metric that take their values from the same source. They are
// those of the comparisons (questions.h); of a metric that is compared with nothing they are over
// all cells that one of the targets names; with a source they ask where the cell's value over its
// reference lies.
std::vector<Question> ask_target(const Target& target,
                                 const StudyObservation& observation,
                                 const Study& study,
                                 const Results& results,
                                 const TargetReferences& references);

// The spread of one value behind the test against a reference, on the scale of logarithms: of a
// trial of the cell, of a block of a comparison, of a session where that is the unit or between
// studies. 0 where it is not known.
struct RepeatSpread {
  double log_sd = 0.0;
  bool is_of_session = false;
};
RepeatSpread repeat_spread_of(const CellObservation& cell,
                              const std::string& metric,
                              const TargetReference& reference,
                              const StudyObservation& observation,
                              const Study& study);

}  // namespace scalestudy
