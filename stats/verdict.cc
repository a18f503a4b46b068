#include "stats/verdict.h"

#include <stdexcept>

#include "stats/check.h"

namespace scalestudy::stats {
namespace {

bool is_ratio(const std::optional<double>& x) {
  return !x || is_positive(*x);
}

bool is_probability(const std::optional<double>& p) {
  return !p || (*p >= 0.0 && *p <= 1.0);
}

bool is_valid(const VerdictInput& input) {
  return is_positive(input.margin) && is_level(input.alpha) && is_ratio(input.ratio) &&
         is_ratio(input.lo) && is_ratio(input.hi) && is_probability(input.p_adjusted) &&
         is_probability(input.p_tost_adjusted);
}

bool is_complete(const VerdictInput& input) {
  return input.status == Status::kOk && input.ratio && input.lo && input.hi && input.p_adjusted &&
         input.p_tost_adjusted;
}

}  // namespace

std::string_view format_verdict(VerdictWord word) {
  switch (word) {
    case VerdictWord::kNotEnoughData:
      return "not enough data";
    case VerdictWord::kEquivalent:
      return "equivalent";
    case VerdictWord::kFaster:
      return "faster";
    case VerdictWord::kSlower:
      return "slower";
    case VerdictWord::kNoDetectableDifference:
      return "no significant difference";
  }
  throw std::logic_error("format_verdict: not a VerdictWord");
}

JudgedRatio verdict(const VerdictInput& input) {
  JudgedRatio result;
  if (!is_valid(input)) {
    result.status = Status::kInvalidInput;
    return result;
  }
  if (!is_complete(input)) {
    return result;
  }
  const bool is_detectable = *input.p_adjusted < input.alpha;
  if (*input.p_tost_adjusted < input.alpha) {
    result.word = VerdictWord::kEquivalent;
    result.detectable_below_margin = is_detectable;
    return result;
  }
  if (!is_detectable) {
    result.word = VerdictWord::kNoDetectableDifference;
    return result;
  }
  result.word = *input.ratio > 1.0 ? VerdictWord::kFaster : VerdictWord::kSlower;
  result.beyond_margin = result.word == VerdictWord::kFaster
                             ? *input.lo > 1.0 + input.margin
                             : *input.hi < 1.0 / (1.0 + input.margin);
  return result;
}

}  // namespace scalestudy::stats
