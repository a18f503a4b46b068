// The word for a comparison's verdict: faster and slower, or better and worse.
#pragma once

#include <string>

#include "harness/analysis/compare/findings.h"
#include "stats/estimate.h"
#include "stats/verdict.h"

namespace scalestudy {

// The stored verdict of a comparison of step times.
Verdict stored_verdict(stats::VerdictWord word);

// That of any comparison by the word: better and worse for a metric that the study asks for.
Verdict stored_verdict(const Comparison& comparison, stats::VerdictWord word);

// Whether the comparison of a metric that the study asks for has no scatter: its values do not vary
// in either cell, or vary over blocks (sessions) while their ratio does not.
bool is_exact(const Comparison& comparison);

// "the same in all trials" or "the ratio is the same in all blocks"; "" unless is_exact().
std::string describe_exact(const Comparison& comparison);

// Why there is not enough data, to be put in brackets after these words; "" if a side has no trial
// and survivors_note() says why.
std::string describe_lack(const Comparison& comparison);

// The ratio that the verdict is about: above 1 if the cell is better than its base.
stats::Estimate better_ratio(const Comparison& comparison);

// The same ratio with an interval that, together with those of its whole family, holds with the
// confidence of the question (Bonferroni): what is beyond the margin is read from it.
stats::Estimate better_ratio_in_family(const Comparison& comparison);

// The verdict of a comparison that is_exact(): without scatter there is nothing to test.
stats::JudgedRatio exact_verdict(const Comparison& comparison);

}  // namespace scalestudy
