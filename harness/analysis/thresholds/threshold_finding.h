// A threshold as a sentence.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"
#include "harness/store/switch_text.h"
#include "stats/threshold.h"

namespace scalestudy {

// The measured quantity at one tested value of the axis.
struct TestedValue {
  double x = 0.0;
  double value = 0.0;  // speedup or efficiency
  double lo = 0.0;
  double hi = 0.0;
  int sign = 0;           // +1: resolved above the level; -1: below; 0: not resolved, or the level
  bool is_level = false;  // a count or ratio that is the level in all trials
};

struct ThresholdFacts {
  std::vector<TestedValue> tested;  // by increasing x
  std::string unit;                 // unit of the axis; empty if it has none
  bool is_count = false;            // the axis is devices or nodes
  bool is_measured = false;         // the axis is a measured time
  bool is_lower_better = false;     // a break-even is then where the metric falls below the level
  bool shares_baseline = false;     // all tested values have the same baseline
  bool is_ladder = false;           // there are enough tested values, close enough to each other
  bool is_interpolated = false;     // is_ladder, and the crossing is at neither end of it
  std::size_t left_out = 0;         // cells without a usable ratio
  std::int64_t chosen = 0;          // trials that count only with a later attempt (ChosenTrials)
  std::optional<TwoSettings> between;  // of a threshold between two settings
  std::string setting;                 // the name of their axis
  // The unit of the metric if the level is one of it, "" for a pure number; absent for a ratio.
  std::optional<std::string> metric_unit;
  std::optional<double> metric_largest;  // of the metric's values, which get one unit
  std::size_t unapplied = 0;  // cells left out as a setting of theirs or their base's failed
};

// The threshold as a sentence: "devices=2: speedup reaches 1x between batch_global 64 and 128, best
// estimate 70.6 samples [68.0, 73.8]"; crossing_text.h says where it may lie.
// - row: complete but for its finding.
std::string describe_threshold(const ThresholdRow& row, const ThresholdFacts& facts);

}  // namespace scalestudy
