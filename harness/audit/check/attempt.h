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
  bool is_unsaid = false;    // whether the relation is meant is not known
  std::vector<Found> bases;  // parallel to the formula's names; an empty id where there is none
  std::optional<Range> recomputed;
  std::optional<Range> from_cut_off;  // the same if the bases' digits were cut off
  std::size_t missing_count = 0;
  std::string problem;  // why there is nothing recomputed
  std::string needs;    // what would have to be printed or declared
  bool is_ambiguous = false;
  std::string mixed;  // in what the baseline's run differs and may not; else empty
};

// Every relation that could give the figure if it was of `quantity`, with every choice of bases
// where the document leaves one (up to 64; beyond that the attempt is ambiguous), and with bases of
// mixed runs where no other are printed. Meanings of which one must be right (strong or weak
// scaling, samples or tokens, the collectives) count as said when all of them could be computed.
std::vector<Attempt> attempts_for(const std::string& quantity,
                                  const Entry& target,
                                  const Ledger& ledger);

bool is_met_by(const Attempt& attempt, const Range& printed);

// Whether it is met only if digits were cut off.
bool is_cut_off_by(const Attempt& attempt, const Figure& printed);

bool contradicts(const Attempt& attempt, const Range& printed);

}  // namespace scalestudy::audit
