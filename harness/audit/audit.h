// A dataset's figures, recomputed from the figures they should follow from.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/audit/dataset/dataset.h"

namespace scalestudy::audit {

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

// Findings of all figures that are derived by nature, by declaration or by another figure of the
// same thing, in the order of the dataset. A figure that nothing is said about gives none.
// Throws Error{kUsage} as load_dataset does when a declared SQL statement does not run, does not
// give one number, or would do anything but read the dataset's tables.
std::vector<Finding> audit_dataset(const Dataset& dataset);

}  // namespace scalestudy::audit
