// Notes below the table of a group: what its columns leave open.
#pragma once

#include <string>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/report/template/view.h"

namespace scalestudy::report {

// How many sessions an interval by mean_ci_t_within is about: "two", or "two to four" if cells may
// differ in it.
std::string few_sessions(const ReportInput& input);

// Sets the list notes (note) of a group's table: why numbers are absent, which cells are not shown
// to have their setting, and what the intervals are about where several sessions ran the trials.
void add_notes(View& table, const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
