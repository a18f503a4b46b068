// Runs in CSV tables, as wandb and TensorBoard export them.
#pragma once

#include "harness/import/runs/find_runs.h"

namespace scalestudy {

// Adds the runs of the table in the file of `whole`, whose values all of them have. An entry of
// RunsRequest::column_map gives a column its meaning: `step`, the name of a value (an axis, run,
// block), or a metric with the unit that it is printed in. The column of a metric may be a
// RunPattern, as "{run} - perf/step_time": then each column is of a run of its own. Rows of one run
// are in the order of its steps (record_of); an empty cell is no value.
void read_table(const FoundRun& whole,
                const RunsRequest& request,
                const CellFinder& finder,
                const Steps& steps,
                FoundRuns& found);

}  // namespace scalestudy
