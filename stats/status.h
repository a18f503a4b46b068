// The one set of words that says whether a statistic exists, and why not.
#pragma once

#include <array>
#include <cstddef>
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

// The words stored and printed, in the order of the enumerators.
inline constexpr auto kStatusWords = std::to_array<std::string_view>({"ok",
                                                                      "invalid_input",
                                                                      "insufficient_data",
                                                                      "zero_variance",
                                                                      "unattainable",
                                                                      "degenerate",
                                                                      "bounded",
                                                                      "unbounded_complement",
                                                                      "unbounded_all",
                                                                      "kappa_at_bound",
                                                                      "serial_below_zero",
                                                                      "negative_component",
                                                                      "no_steady_state",
                                                                      "all_tied",
                                                                      "crossed",
                                                                      "crossed_down",
                                                                      "always",
                                                                      "not_reached",
                                                                      "multiple",
                                                                      "unresolved",
                                                                      "extrapolated"});

static_assert(kStatusWords.size() == static_cast<std::size_t>(Status::kExtrapolated) + 1);

// The word of a status, e.g. "insufficient_data".
constexpr std::string_view format_status(Status status) {
  return kStatusWords.at(static_cast<std::size_t>(status));
}

}  // namespace scalestudy::stats
