// The five words a comparison may end in.
#pragma once

#include <optional>
#include <string_view>

#include "stats/status.h"

namespace scalestudy::stats {

enum class VerdictWord { kNotEnoughData, kEquivalent, kFaster, kSlower, kNoDetectableDifference };

// "not enough data", "equivalent", "faster", "slower", "no significant difference".
std::string_view format_verdict(VerdictWord word);

// ratio = t_base / t_new: above 1 is faster.
struct VerdictInput {
  Status status = Status::kOk;  // of the ratio interval
  std::optional<double> ratio;
  std::optional<double> lo;  // the interval that beyond_margin is read from: of one comparison, or
  std::optional<double> hi;  // wide enough for all of a family
  std::optional<double> p_adjusted;       // of the difference, adjusted within its family
  std::optional<double> p_tost_adjusted;  // of the equivalence test, adjusted the same way
  double margin = 0.0;  // declared before the data, e.g. 0.02: never computed from the same study
  double alpha = 0.05;
};

// What a ratio of two cells shows, in a word, and what qualifies that.
struct JudgedRatio {
  Status status = Status::kOk;
  VerdictWord word = VerdictWord::kNotEnoughData;
  bool beyond_margin = false;            // faster/slower: the whole interval is beyond the margin
  bool detectable_below_margin = false;  // equivalent, and the difference is detectable too
};

// Rules in order: not enough data (status not ok, a number missing); equivalent; faster or slower;
// no significant difference. invalid_input for margin <= 0, alpha outside (0, 1), p outside [0, 1],
// or a ratio or end that is not positive and finite; the word is then "not enough data".
// Source: METHODS.md, Two cells.
JudgedRatio verdict(const VerdictInput& input);

}  // namespace scalestudy::stats
