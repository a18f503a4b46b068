// Notes below the table of a group: what its columns leave open.
#pragma once

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// Sets the list notes (note) of a group's table: why numbers are absent, which cells are not shown
// to have their setting, and what the intervals are about where several sessions ran the trials.
void add_notes(View& table, const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
