// One study over many sessions: where its cells became faster or slower.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/studies/sides.h"

namespace scalestudy {

struct CellChange {
  CellRow cell;
  std::int64_t session = 0;   // the first after the change,
  std::int64_t earliest = 0;  // and the sessions that may be it instead
  std::int64_t latest = 0;
  double p = 1.0;
  std::optional<double> ratio;  // step time before over after: above 1 it became faster
  // t over the means of the sessions between this change and those beside it. Post-selection: the
  // change was chosen because it looks large, so that its size is rather overstated.
  std::optional<double> lo;
  std::optional<double> hi;
};

// A cell whose sessions are set apart by less than sessions that depend on each other are.
struct WanderingCell {
  CellRow cell;
  double dependence = 0.0;  // what a session keeps of the one before it
};

struct History {
  std::vector<CellChange> changes;       // by cell, then session
  std::vector<CellRow> steady;           // cells with enough sessions and no change
  std::vector<WanderingCell> wandering;  // some change may be one, or nothing
  std::vector<CellRow> short_ones;  // fewer than two times kSessionsAsUnit sessions, or a session
                                    // whose mean is no number
  // Left out of a cell: the time of their steps is not what it is in the cell's last session
  // (StepTimeDefinition), so that a change between them would be none of the cell.
  std::set<std::int64_t> other_definition;
};

// Change points of the sessions' mean step times of every measured cell, at least kSessionsAsUnit
// sessions apart. All cells together are given one where there is none in `1 - confidence` of
// histories at most, in slightly more where sessions depend on each other (METHODS.md, G18).
History find_history(const Side& all, double confidence);

// What sessions from `earliest` to `latest` tell otherwise than the session before them: "kernel:
// 6.1.0 -> 6.2.0 (session 7)", one line each. What changed beside, not what caused it.
std::vector<std::string> changed_facts(const Side& all, std::int64_t earliest, std::int64_t latest);

}  // namespace scalestudy
