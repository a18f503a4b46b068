// Findings: comparing a printed figure with what it is recomputed to.
#pragma once

#include <string>

#include "harness/audit/ledger.h"

namespace scalestudy::audit {

// The finding's head: which figure, where, as printed. The verdict is still to be set.
Finding start_finding(const std::string& dataset, const Entry& entry);

// How far the printed range lies from the recomputed one, relative to the middle of the latter:
// above 0 when more is printed, below when less; 0 when they meet. Absent when the middle is 0.
std::optional<double> relative_gap(const Range& printed, const Range& recomputed);

// Sets recomputed, its text, the verdict kFollows or kDoesNotFollow, the difference and `why`.
void compare(Finding& finding, const Figure& printed, const Range& recomputed);

// The range in the figure's unit, with as many digits as show on which side of the figure it is.
std::string range_text(const Figure& printed, const Range& recomputed);

// Sets kCannotBeChecked and the reason.
void leave_unchecked(Finding& finding, const std::string& why);

}  // namespace scalestudy::audit
