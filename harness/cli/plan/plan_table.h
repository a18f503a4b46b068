// The table of `plan`: a row a cell, with what earlier trials say of those to come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "harness/analysis/studies/pilot.h"
#include "harness/cli/plan/plan_history.h"
#include "harness/cli/plan/plan_time.h"
#include "harness/cli/table.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// What the outlook of every cell is asked for.
struct PlanQuestion {
  const Study& study;
  const Matrix& matrix;
  const PlanHistory& history;
  TrialCounts left;  // to run; empty for a search, which decides as it goes
  std::int64_t comparisons = 0;
  std::optional<double> precision;  // relative half-width
};

// The trials that the precision asked for needs; absent without a pilot of two trials.
std::optional<TrialsNeeded> trials_needed(const PlanQuestion& question, const Cell& cell);

// Whether earlier trials of some cell say how much trials differ.
bool knows_spread(const PlanQuestion& question);

// Every column in full, for machines.
QueryResult exact_plan(const PlanQuestion& question);

// What a reader needs, rounded and with units; columns without a value in any row are left out.
// - format: kTable or kMarkdown.
// - width: of the terminal.
std::string readable_plan(const PlanQuestion& question, Format format, std::size_t width);

}  // namespace scalestudy
