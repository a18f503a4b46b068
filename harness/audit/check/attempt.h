// One relation tried on one figure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/audit/check/ledger.h"
#include "harness/audit/check/relation.h"

namespace scalestudy::audit {

struct Attempt {
  const Relation* relation = nullptr;
  Sense sense = Sense::kEqual;
  bool is_unsaid = false;    // the document does not say whether this relation is meant
  std::vector<Found> bases;  // parallel to the formula's names; an empty id where there is none
  std::optional<Range> recomputed;
  std::optional<Range> from_cut_off;  // `recomputed` if the bases' digits were cut off
  std::size_t missing_count = 0;      // bases that were not found
  std::string problem;                // why `recomputed` is absent
  std::string needs;                  // what would have to be printed or declared
  bool is_ambiguous = false;
  std::string mixed;  // in what the baseline's run differs although it should not; else empty
};

// Tries every relation that could give the figure if it were of `quantity`, with every choice of
// bases that the document leaves open (up to 64; more make the attempt ambiguous). Bases of mixed
// runs are used only if no others are printed. Where exactly one of several meanings must be right
// (strong or weak scaling, samples or tokens, the collectives), they count as said when all of them
// could be computed.
std::vector<Attempt> attempts_for(const std::string& quantity,
                                  const Entry& target,
                                  const Ledger& ledger);

// The speedup of the run that the target's baseline names, if it is printed as that run's number of
// devices or nodes: "8.0" at 8 GPUs. Speedups of such a table start from linear scaling. If n has
// fewer digits than the target, it is read with as many: "8" beside "15.6" as 8.0.
std::optional<Found> ideal_base(const Entry& target, const Ledger& ledger);

// Which comparison a mixed attempt makes: one text for the same relation over the same figures of a
// baseline's run that differs in the same.
std::string comparison_of(const Attempt& attempt);

// Whether the recomputed range shares a value with the printed one; false if nothing was
// recomputed.
bool is_met_by(const Attempt& attempt, const Range& printed);

// Whether the attempt agrees with the figure only if digits were cut off.
bool is_cut_off_by(const Attempt& attempt, const Figure& printed);

// Whether the recomputed range rules the printed one out, in the sense of the relation.
bool contradicts(const Attempt& attempt, const Range& printed);

}  // namespace scalestudy::audit
