// What the columns of a table of runs mean, as --map says it.
#pragma once

#include <string>
#include <vector>

#include "harness/import/runs/cell_finder.h"
#include "harness/import/runs/find_runs.h"
#include "harness/study/matrix/command.h"

namespace scalestudy {

inline constexpr const char* kStepMeaning = "step";

// What a column holds: a metric, or a value (`step`, an axis, run, block).
struct Meaning {
  std::string column;  // RunPattern
  std::string word;
  bool is_metric = false;
  bool is_in_seconds = false;  // for want of a unit
  bool has_means = false;      // a value is about all steps since the row before: "ms/it"
  StoredUnit unit;
};

// One of each entry of RunsRequest::column_map. Throws Error{kUsage} for an entry that says
// nothing, and if none is of the time of steps.
std::vector<Meaning> parse_map(const RunsRequest& request, const CellFinder& finder);

// Whether a column has another unit than s in its name: "time_ms", "step (ms)".
bool names_other_unit(const std::string& column);

}  // namespace scalestudy
