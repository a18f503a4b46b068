// What keeps cells from saying how fast something is.
#pragma once

#include <optional>
#include <string>

#include "harness/analysis/observe/observation.h"

namespace scalestudy {

// Whether the cell's times say how fast its ranks can be: false where they shared cores or devices,
// or sent types of 16 bits that they had to convert in software.
bool has_claim(const CellObservation& cell);

struct NoClaim {
  Verdict verdict = Verdict::kNoClaim;  // one that is_claim() denies
  std::string detail;                   // the setting that it is about; empty: none
};

// Why nothing can be said of the cell against its base; absent where something can.
std::optional<NoClaim> why_no_claim(const CellObservation& base, const CellObservation& cell);

}  // namespace scalestudy
