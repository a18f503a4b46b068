// Findings: what comparing a printed figure with its recomputed range gave.
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
  kFollowsIfCutOff,  // only if digits of the figure or its bases were cut off instead of rounded
  kDoesNotFollow,    // no formula that applies to the figure gives what is printed
  kImplausible,      // no arithmetic contradicts the figure, but it needs an explanation
  kCannotBeChecked,  // `why` says what is missing or ambiguous
};

// "follows", "follows if cut off", "does not follow", "implausible", "cannot be checked".
std::string_view verdict_name(Verdict verdict);

// A figure that another one was recomputed from.
struct Base {
  std::string figure;   // "throughput, devices=16"
  std::string printed;  // as in the document
  std::string where;    // section or lines of the document
  FilePlace place;      // where it is typed; line 0 if it is declared with another figure
};

// A figure that a formula uses which could be meant as well.
struct OtherUse {
  FilePlace place;     // the figure's
  bool gives = false;  // whether the formula gives what is printed
  std::string formula;
};

struct Finding {
  std::string dataset;
  std::string table;   // empty for a statement
  std::string figure;  // "efficiency, devices=16", or the id of a statement
  std::string where;   // section or lines of the document
  std::string printed;
  std::string quantity;
  std::optional<Range> recomputed;   // base units; absent if there is nothing to compute it from
  std::string recomputed_text;       // in the printed unit: "88.26%", "88.2% to 88.3%"; or empty
  std::optional<double> difference;  // relative_gap() between printed and recomputed
  Verdict verdict = Verdict::kCannotBeChecked;
  std::string formula;
  std::vector<Base> bases;
  std::vector<OtherUse> other_uses;  // of kFollows by a relation
  std::string why;                   // the reason for the verdict; empty for kFollows
  std::string remark;  // what the mistake seems to be: "this is the efficiency"; or empty
  std::string needs;   // what would make it checkable, for kCannotBeChecked
  FilePlace place;     // where it is typed
};

// A finding with its head alone: which figure, where, as printed. The verdict is still to be set.
Finding start_finding(const std::string& dataset, const Entry& entry);

// How far the printed range lies from the recomputed one, relative to the middle of the latter:
// above 0 if more is printed, below 0 if less, 0 if they meet. Absent if the middle is 0.
std::optional<double> relative_gap(const Range& printed, const Range& recomputed);

// Sets the finding's recomputed range and its text, the verdict (kFollows, kFollowsIfCutOff or
// kDoesNotFollow), the difference and `why`.
// - from_cut_off: what the bases give if their digits were cut off; absent if that is unknown.
void compare(Finding& finding,
             const Figure& printed,
             const Range& recomputed,
             const std::optional<Range>& from_cut_off = std::nullopt);

// Says which digits must have been cut off for the figure to follow; empty if no cutting off makes
// it follow.
std::string cut_off_reading(const Figure& printed,
                            const Range& recomputed,
                            const std::optional<Range>& from_cut_off);

// The recomputed range in the figure's unit, with enough digits to show on which side of the
// printed figure it lies.
std::string range_text(const Figure& printed, const Range& recomputed);

// Sets the verdict kCannotBeChecked, the reason `why`, and what would make the figure checkable.
void leave_unchecked(Finding& finding, const std::string& why, const std::string& needs);

}  // namespace scalestudy::audit
