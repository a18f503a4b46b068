// Declared targets, judged by what was measured.
#pragma once

#include <vector>

#include "harness/analysis/compare/target_reference.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Makes one row for each target and matching cell. A target over several cells first gets a row of
// its own, without a cell. A target that matches no cell gets one row without a cell. Controls
// never match, nor does a baseline match a target on its own speedup.
// - A cell has met the target if it is resolved to be on the good side of the level, or is a count
//   that is the level in all trials; it has missed it if on the bad side, and is undecided
//   otherwise. The level is a question of the whole study (questions.h). For a metric that is
//   compared with nothing, the question covers all cells that some target on this metric names.
// - A target over several cells is met if every cell has met it, missed if some cell has missed it,
//   and undecided otherwise.
// - A limit (analysis.within) is judged like a target on every cell that has its metric; its rows
//   are named by limit_name(), and there is none over all cells. A baseline, whose ratio to itself
//   is 1, has a row where that misses the limit.
// - results: with the estimates and comparisons of the observation.
// - references: of targets with a source. The level of a cell is then a share of its reference,
//   and the question, over the cells that targets with this source name, is where the quotient of
//   both lies. A published figure is a constant in it; another study has its own spread.
std::vector<TargetResultRow> judge_targets(const StudyObservation& observation,
                                           const Study& study,
                                           const Results& results,
                                           const TargetReferences& references = {});

// The targets, and each limit as a target on all cells, named by limit_name().
std::vector<Target> with_limits(const AnalysisOptions& analysis);

// Whether the target means that cell: a measured one with its metric, whose parameters are those of
// `where`.
bool is_target_cell(const CellRow& cell, const Target& target, const Study& study);

}  // namespace scalestudy
