// Words of a comparison's verdict.
#pragma once

#include "harness/text/words.h"

namespace scalestudy {

// Of a comparison. kNoClaim: a side is oversubscribed. kNotApplied: what the sides differ by was
// not applied; kUnconfirmed: nothing shows whether it was. kSoftwareType: a side sent numbers of 16
// bits that its processor has no arithmetic for.
enum class Verdict {
  kNotEnoughData,
  kEquivalent,
  kFaster,
  kSlower,
  kNoDetectableDifference,
  kNoClaim,
  kBetter,  // of a metric that the study asks for, as faster is of step times
  kWorse,
  kNotApplied,
  kUnconfirmed,
  kSoftwareType,
};

template <>
inline constexpr std::string_view kWords<Verdict> =
    "not enough data|equivalent|faster|slower|no detectable difference|"
    "no performance claim (oversubscribed)|better|worse|"
    "no performance claim (setting not applied)|no performance claim (setting unconfirmed)|"
    "no performance claim (16 bits in software)";

// Whether the verdict says which side is better, or that none is known to be.
constexpr bool is_claim(Verdict verdict) {
  return verdict != Verdict::kNoClaim && verdict != Verdict::kNotApplied &&
         verdict != Verdict::kUnconfirmed && verdict != Verdict::kSoftwareType;
}

}  // namespace scalestudy
