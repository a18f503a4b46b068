// Break-evens in words: between which tested values a level is crossed, and where about.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// "46.1 [39.2, 61.0]", of two pieces "58.0 [49.8, 63.5] or [65.3, 170]", of several crossings
// "[16.6, 25.3] and [82.9, 118]": where the crossing lies by interpolation. An end of the interval
// that lies at the end of the tested range is that value, marked as open: "≥ 64". "–" where there
// is no estimate.
std::string estimate_text(const ThresholdRow& row);

// The row's curve for tables: "env.NCCL_ALGO=Ring, batch 8"; between two settings both of them:
// "env.NCCL_ALGO=Ring against env.NCCL_ALGO=Tree, batch 8"; "all" for the only curve.
std::string curve_text(const ReportInput& input, const ThresholdRow& row);

struct BreakEven {
  bool is_between = false;  // two settings, by switch_text.h
  std::string text;
};

// The break-evens as sentences, in the words of crossing_text.h: "speedup reaches 1x between
// batch_global 32 and 64, best estimate 46.1 [39.2, 61.0] (devices=2)". Curves of which the same is
// known share one: "... (2 of 3 curves)".
std::vector<BreakEven> break_evens(const ReportInput& input);

}  // namespace scalestudy::report
