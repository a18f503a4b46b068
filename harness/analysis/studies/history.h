// One study over many sessions: where its cells became faster or slower.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/studies/sides.h"

namespace scalestudy {

struct CellChange {
  CellRow cell;
  std::int64_t session = 0;   // the first session after the change, as estimated
  std::int64_t earliest = 0;  // earliest and latest session that may be the first instead
  std::int64_t latest = 0;
  std::int64_t before = 0;  // the cell's last session before `earliest`; 0: none
  double p_value = 1.0;
  std::optional<double> speedup;  // step time before / after: above 1 the cell became faster
  // Interval of t over the means of the sessions between this change and its neighbours, if these
  // are kSessionsAsUnit or more on both sides. The change was chosen because it looks large, so its
  // size is rather overstated (post-selection).
  std::optional<double> speedup_lo;
  std::optional<double> speedup_hi;
};

// A cell whose sessions differ by no more than dependence between sessions explains.
struct WanderingCell {
  CellRow cell;
  double dependence = 0.0;  // share of a session's deviation that the next one keeps
};

struct History {
  std::vector<CellChange> changes;       // by cell, then session
  std::vector<CellRow> steady;           // cells with enough sessions and no change
  std::vector<WanderingCell> wandering;  // what looks like a change may be none
  // Cells with fewer than two times kSessionsAsUnit sessions, or a session whose mean is no number.
  std::vector<CellRow> short_ones;
  // Cells whose times do not say how fast they are (has_claim): kNoClaim or kSoftwareType.
  std::map<Verdict, std::vector<CellRow>> no_claim;
  // Sessions left out of some cell: their step times are defined otherwise than in the cell's last
  // session (StepTimeDefinition), so that a change between them would not be the cell's.
  std::set<std::int64_t> other_definition;
};

// Finds change points in the sessions' mean step times of every measured cell that has a claim.
// Splits with kSessionsAsUnit sessions or more a side are tested, so that a change nearer to the
// end is found only if it is large. A history without changes gets one in any cell with a
// probability of at most `1 - confidence`, slightly more if sessions depend on each other
// (METHODS.md, G18).
History find_history(const Side& all, double confidence);

// The facts and parts of the study in which a session after change.before, up to change.latest,
// differs from the session before it, one line each: "kernel: 6.1.0 -> 6.2.0 (session 7)". The
// session listed need not have a trial of the cell: all may have failed in it. What is listed
// changed at the same time; it need not be the cause.
std::vector<std::string> changed_facts(const Side& all, const CellChange& change);

}  // namespace scalestudy
