// Findings: comparing a printed figure with what it is recomputed to.
#pragma once

#include <string>

#include "harness/audit/check/ledger.h"

namespace scalestudy::audit {

// The finding's head: which figure, where, as printed. The verdict is still to be set.
Finding start_finding(const std::string& dataset, const Entry& entry);

// How far the printed range lies from the recomputed one, relative to the middle of the latter:
// above 0 when more is printed, below when less; 0 when they meet. Absent when the middle is 0.
std::optional<double> relative_gap(const Range& printed, const Range& recomputed);

// Sets recomputed, its text, the verdict (kFollows, kFollowsIfCutOff or kDoesNotFollow), the
// difference and `why`.
//   from_cut_off  what the bases give if their digits were cut off; absent where that is unknown
void compare(Finding& finding,
             const Figure& printed,
             const Range& recomputed,
             const std::optional<Range>& from_cut_off = std::nullopt);

// Which digits must have been cut off for the figure to follow, in words; empty when that does not
// help, or is not needed.
std::string cut_off_reading(const Figure& printed,
                            const Range& recomputed,
                            const std::optional<Range>& from_cut_off);

// The range in the figure's unit, with as many digits as show on which side of the figure it is.
std::string range_text(const Figure& printed, const Range& recomputed);

// Sets kCannotBeChecked, the reason, and what would make it checkable.
void leave_unchecked(Finding& finding, const std::string& why, const std::string& needs);

}  // namespace scalestudy::audit
