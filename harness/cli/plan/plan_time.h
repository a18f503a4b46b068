// How long a study takes, and how many trials fit into a night, judged by earlier trials.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/cli/plan/plan_history.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Trials of each cell, parallel to Matrix::cells.
using TrialCounts = std::vector<std::int64_t>;

TrialCounts count_trials(const Matrix& matrix, const std::vector<ScheduledTrial>& trials);
std::size_t sum_of(const TrialCounts& counts);

// Those of the trials that a run of the study in `results` would still run.
TrialCounts trials_left(const Study& study,
                        const Matrix& matrix,
                        const std::vector<ScheduledTrial>& trials,
                        const std::string& results);

// The time of a trial of each cell by its earlier ones, parallel to Matrix::cells; the mean of the
// other cells where it has none. Absent if no cell has run.
std::optional<std::vector<double>> trial_times_s(const Matrix& matrix, const PlanHistory& history);

// What a run does: "demo: 20 trials, 5 of each of 4 cells (strong scaling), in blocks of random
// order (seed 42)."
std::string plan_sentence(const Study& study,
                          const Matrix& matrix,
                          std::size_t trials,
                          std::size_t left);

// How long the trials left take, by trial_times_s(); if none has run, the bound that the study's
// limits set. Without a trial left: how long all of them do. For a search: what its budget allows.
std::string time_text(const Study& study,
                      const Matrix& matrix,
                      const TrialCounts& all,
                      const TrialCounts& left,
                      const PlanHistory& history);

struct Purchase {
  int trials = 0;    // of each cell, at least 1
  std::string text;  // for people: which earlier trials that number rests on
};

// How many whole blocks (a trial of each cell) fit into a time. A cell that has not run counts with
// the time of those that have.
// - budget: a duration such as "8h".
// - results: whose trials of the study count among them.
// - throws: Error{kUsage} if `budget` is no duration, no cell has run, or not one block fits.
Purchase trials_within(const std::string& budget,
                       const Study& study,
                       const Matrix& matrix,
                       const PlanHistory& history,
                       const std::string& results);

// How many sessions the study needs until an interval over session means is as narrow as its
// margin, for the cell that needs most; says that this is unknown below three sessions of a cell.
// source: METHODS.md, sample_size_from_pilot, of means of sessions.
std::string sessions_text(const Study& study, const Matrix& matrix, const PlanHistory& history);

}  // namespace scalestudy
