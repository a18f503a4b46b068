// Which tables of a document are about the same runs.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/audit/draft/document.h"
#include "harness/audit/draft/guess.h"
#include "harness/audit/figure/figure.h"

namespace scalestudy::audit {

// A run's conditions, by name.
using Run = std::map<std::string, std::string>;

// What a table measured, by run and then by quantity and conditions of its column.
using MeasuredRuns = std::map<Run, std::map<std::pair<std::string, std::string>, Figure>>;

// Empty if two rows are of one run, or if no column is a condition.
MeasuredRuns measured_runs(const DocumentTable& table, const std::vector<Guess>& guesses);

struct DraftedTable {
  int number = 0;          // from 1, in its document
  std::string experiment;  // its own name, or that of the first table about its runs
  MeasuredRuns runs;
};

// The first of the earlier tables that is about the same runs: both have the same conditions, and
// for the same runs they print two times or rates of three digits or more that agree, and at most
// one measured figure that does not. nullptr if there is none.
const DraftedTable* table_of_same_runs(const MeasuredRuns& runs,
                                       const std::vector<DraftedTable>& earlier);

}  // namespace scalestudy::audit
