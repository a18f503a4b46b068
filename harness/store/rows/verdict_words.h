// Words of a comparison's verdict.
#pragma once

#include "harness/text/words.h"

namespace scalestudy {

// The verdict of a comparison. kNoClaim: a side is oversubscribed. kNotApplied: the setting that
// differs was not applied; kUnconfirmed: nothing shows whether it was. kSoftwareType: a side sent
// 16-bit numbers for which its processor has no arithmetic. kUnsupported: this machine could run no
// trial of a side. kUnknownWork: the sides differ in devices, or one alone has a batch, and nothing
// says how much work a step of each does. The last four: is_loss().
enum class Verdict {
  kNotEnoughData,
  kEquivalent,
  kFaster,
  kSlower,
  kNoDetectableDifference,
  kNoClaim,
  kBetter,  // like kFaster, for a metric that the study asks for
  kWorse,
  kNotApplied,
  kUnconfirmed,
  kSoftwareType,
  kUnsupported,
  kUnknownWork,
  kFailed,
  kOutOfMemory,
  kBaseFailed,
  kBaseOutOfMemory,
};

template <>
inline constexpr std::string_view kWords<Verdict> =
    "not enough data|equivalent|faster|slower|no significant difference|"
    "no performance claim (oversubscribed)|better|worse|"
    "no performance claim (setting not applied)|no performance claim (setting unconfirmed)|"
    "no performance claim (16 bits in software)|unsupported|"
    "no performance claim (work of a step not declared)|failed|out of memory|base failed|"
    "base out of memory";

// Whether the verdict judges performance: either side is better, or neither is known to be.
constexpr bool is_claim(Verdict verdict) {
  switch (verdict) {
    case Verdict::kNotEnoughData:
    case Verdict::kEquivalent:
    case Verdict::kFaster:
    case Verdict::kSlower:
    case Verdict::kNoDetectableDifference:
    case Verdict::kBetter:
    case Verdict::kWorse:
      return true;
    case Verdict::kNoClaim:
    case Verdict::kNotApplied:
    case Verdict::kUnconfirmed:
    case Verdict::kSoftwareType:
    case Verdict::kUnsupported:
    case Verdict::kUnknownWork:
    case Verdict::kFailed:
    case Verdict::kOutOfMemory:
    case Verdict::kBaseFailed:
    case Verdict::kBaseOutOfMemory:
      break;
  }
  return false;
}

constexpr bool is_base_lost(Verdict verdict) {
  return verdict == Verdict::kBaseFailed || verdict == Verdict::kBaseOutOfMemory;
}

// Whether all trials of a side failed or ran out of memory, and none is left to run.
constexpr bool is_loss(Verdict verdict) {
  return verdict == Verdict::kFailed || verdict == Verdict::kOutOfMemory || is_base_lost(verdict);
}

}  // namespace scalestudy
