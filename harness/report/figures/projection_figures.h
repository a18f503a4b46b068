// What was measured of a curve over devices, and what was projected from it.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"

namespace scalestudy::report {

struct ProjectedCurve {
  std::string label;                                // the other varied parameters; "" for none
  std::map<std::int64_t, const CellRow*> measured;  // by devices
  std::set<std::int64_t> held_out;                  // of these, by the check of the newest
  std::vector<const ProjectionRow*> rows;           // with a time; by devices, then date
};

// Of the group's cells those that some projection with a time rests on, or was measured by later.
std::vector<ProjectedCurve> projected_curves(const ReportInput& input, const Group& group);

// Texts for the script projection.gp, one a figure; none without a projected time.
std::vector<std::string> projection_definitions(const ReportInput& input, const Group& group);

// What these figures show: "... measured up to 8 devices, 8 held out of the fit; projected, not
// measured: 29.0 [28.1, 29.9] ms on 16 devices".
std::string projection_text(const ReportInput& input, const Group& group);

}  // namespace scalestudy::report
