// The word of a comparison: faster and slower, or better and worse.
#pragma once

#include <string>

#include "harness/analysis/findings.h"
#include "stats/estimate.h"
#include "stats/verdict.h"

namespace scalestudy {

// "faster", "slower"; "better", "worse" of a metric that the study asks for; "equivalent" ...
std::string verdict_word(const Comparison& comparison);

// Whether a metric that the study asks for is the same in all trials of both cells.
bool is_exact(const Comparison& comparison);

// What the verdict is about: above 1 where the cell is better than its base.
stats::Estimate better_ratio(const Comparison& comparison);

// Of one that is_exact: there is nothing to test, and nothing to doubt.
stats::Verdict exact_verdict(const Comparison& comparison);

}  // namespace scalestudy
