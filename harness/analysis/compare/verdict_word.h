// The word of a comparison: faster and slower, or better and worse.
#pragma once

#include <string>

#include "harness/analysis/compare/findings.h"
#include "stats/estimate.h"
#include "stats/verdict.h"

namespace scalestudy {

// What is stored of a verdict on times of steps.
Verdict stored_verdict(stats::VerdictWord word);

// The same of a comparison: better and worse of a metric that the study asks for.
Verdict stored_verdict(const Comparison& comparison);

// Whether a metric that the study asks for does not vary in the trials of both cells, or varies
// alike: over the blocks (sessions), and its ratio not.
bool is_exact(const Comparison& comparison);

// "the same in all trials" or "the ratio is the same in all blocks"; "" of what is not is_exact().
std::string describe_exact(const Comparison& comparison);

// Why there is not enough data, for the brackets behind these words.
std::string describe_lack(const Comparison& comparison);

// What the verdict is about: above 1 where the cell is better than its base.
stats::Estimate better_ratio(const Comparison& comparison);

// Of one that is_exact: there is nothing to test, and nothing to doubt.
stats::Verdict exact_verdict(const Comparison& comparison);

}  // namespace scalestudy
