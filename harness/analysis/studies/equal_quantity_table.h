// The table of equal quantities: which result of ours is which published one, and how.
#pragma once

#include <span>
#include <string_view>

namespace scalestudy {

// How a result becomes the published quantity.
enum class Conversion {
  kFactor,  // factor x result
  kSaving,  // 1 - result, of a ratio to the baseline
  kChange,  // result - 1, of the same
};

// What else the factor depends on, beyond units.
enum class EqualBy {
  kNone,
  kTraining,      // the figure's tokens or samples over those of the declared training
  kSameTraining,  // 1, and only if the figure has as many as the declared training
  kTokens,        // the figure's tokens
  kSamples,       // the figure's samples
};

// What a rate must be printed in.
enum class RateOf { kAny, kSamples, kTokens };

struct EqualQuantity {
  std::string_view quantity;    // of data/published/FORMAT.md
  std::string_view parts = {};  // values of a condition that choose the row, "|" between; "": none
  std::string_view result;
  bool is_comparison = false;
  double factor = 1.0;
  EqualBy scale = EqualBy::kNone;
  Conversion conversion = Conversion::kFactor;
  RateOf count = RateOf::kAny;  // what a rate must be printed in
  bool has_price = false;       // a condition may name one of the study's prices
  std::string_view note = {};
};

// The first row that fits a figure counts. A quantity without a row is the metric of its name and
// unit: a latency in s is latency_s.
std::span<const EqualQuantity> equal_quantities();

}  // namespace scalestudy
