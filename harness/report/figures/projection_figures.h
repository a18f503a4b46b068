// Figures of step times over devices: what was measured, and what was projected from it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

// Cells that differ in their number of devices, and the projections that rest on them.
struct ProjectedCurve {
  std::string label;                                // the other varied parameters; "" for none
  std::map<std::int64_t, const CellRow*> measured;  // by devices
  std::set<std::int64_t> held_out;         // devices left out of the newest fit, as its check
  std::vector<const ProjectionRow*> rows;  // those with a time; by devices, then date
};

// The curves of the group's cells that a projection with a time rests on, or that were measured
// later where it projected.
std::vector<ProjectedCurve> projected_curves(const ReportInput& input, const Group& group);

// Definitions for the script projection.gp, one text a figure; none without a projected time.
std::vector<std::string> projection_definitions(const ReportInput& input, const Group& group);

// What the figures show, in words: "... measured up to 8 devices, 8 held out of the fit; projected,
// not measured: 29.0 [28.1, 29.9] ms on 16 devices".
std::string projection_text(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
