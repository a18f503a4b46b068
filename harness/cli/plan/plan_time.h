// How long a study takes, and how many trials fit into a night, judged by earlier trials.
#pragma once

#include <string>
#include <vector>

#include "harness/cli/plan/plan_history.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// How many of the trials a run of the study in `results` would still run.
std::size_t trials_left(const Study& study,
                        const Matrix& matrix,
                        const std::vector<ScheduledTrial>& trials,
                        const std::string& results);

// What a run does: "demo: 20 trials, 5 of each of 4 cells (strong scaling), in blocks of random
// order (seed 42)."
std::string plan_sentence(const Study& study,
                          const Matrix& matrix,
                          std::size_t trials,
                          std::size_t left);

// How long the trials left take, shared evenly by the cells, by earlier trials of the cells; if
// none has run, the bound that the study's limits set. Without a trial left: how long all of them
// do. For a search: what its budget allows.
std::string time_text(const Study& study,
                      const Matrix& matrix,
                      std::size_t all,
                      std::size_t left,
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
