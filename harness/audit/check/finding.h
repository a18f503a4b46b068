// Findings: comparing a printed figure with what it is recomputed to.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/audit/dataset/dataset.h"

namespace scalestudy::audit {

struct Entry;

enum class Verdict {
  kFollows,
  kFollowsIfCutOff,  // only if digits were cut off, of it or its bases, instead of rounded
  kDoesNotFollow,    // no formula it could follow by gives what is printed
  kImplausible,      // nothing contradicts it by arithmetic, but it needs an explanation
  kCannotBeChecked,  // `why` says what is missing or ambiguous
};

// "follows", "follows if cut off", "does not follow", "implausible", "cannot be checked".
std::string_view verdict_name(Verdict verdict);

struct Base {
  std::string figure;   // "throughput, devices=16"
  std::string printed;  // as in the document
  std::string where;    // section or lines of the document
  FilePlace place;      // where it is typed; line 0 for one that is declared with another figure
};

struct Finding {
  std::string dataset;
  std::string table;   // empty for a statement
  std::string figure;  // "efficiency, devices=16", or the id of a statement
  std::string where;   // section or lines of the document
  std::string printed;
  std::string quantity;
  std::optional<Range> recomputed;   // base units; absent when there is nothing to compute it from
  std::string recomputed_text;       // in the printed unit: "88.26%", "88.2% to 88.3%"; or empty
  std::optional<double> difference;  // gap between the two, relative to what was recomputed
  Verdict verdict = Verdict::kCannotBeChecked;
  std::string formula;
  std::vector<Base> bases;
  std::string why;     // of every verdict but kFollows
  std::string remark;  // what the mistake seems to be: "this is the efficiency"; or empty
  std::string needs;   // of kCannotBeChecked: what would make it checkable
  FilePlace place;     // where it is typed
};

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
