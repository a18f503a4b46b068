// The one set of words that says whether a statistic exists, and why not.
#pragma once

#include <string_view>

namespace scalestudy::stats {

// Meanings and the methods that use them: METHODS.md, "Status".
enum class Status {
  kOk,
  kInvalidInput,
  kInsufficientData,
  kZeroVariance,
  kUnattainable,
  kDegenerate,
  kBounded,
  kUnboundedComplement,
  kUnboundedAll,
  kKappaAtBound,
  kSerialBelowZero,
  kNegativeComponent,
  kNoSteadyState,
  kAllTied,
  kCrossed,
  kCrossedDown,
  kAlways,
  kNotReached,
  kMultiple,
  kUnresolved,
  kExtrapolated,
};

// The word stored and printed, e.g. "insufficient_data".
std::string_view format_status(Status status);

}  // namespace scalestudy::stats
