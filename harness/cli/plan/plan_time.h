// What a study takes, and what a night buys, by earlier trials of its cells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/cli/plan/plan_history.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// The time from earlier trials of these cells; the limits' bound when none has run. Of a search
// what it takes at least, and what its budget holds.
std::string time_text(const Study& study,
                      const Matrix& matrix,
                      const std::vector<ScheduledTrial>& trials,
                      const History& history);

struct Purchase {
  int trials = 0;    // of each cell
  std::string text;  // what that rests on
};

// Whole blocks, one trial of each cell, that fit into a time. A cell that has not run is taken to
// take what those take that have.
//   budget  a duration, e.g. "8h".
//   throws  Error (usage) for another text, when no cell has run, or when no block fits.
Purchase trials_within(const std::string& budget,
                       const Study& study,
                       const Matrix& matrix,
                       const History& history);

// How many sessions the spread between them asks for before an interval over sessions is as narrow
// as the study's margin: the cell that needs most. Unknown below three sessions of a cell.
//   source  trials_for_precision, of means of sessions.
std::string sessions_text(const Study& study, const Matrix& matrix, const History& history);

}  // namespace scalestudy
