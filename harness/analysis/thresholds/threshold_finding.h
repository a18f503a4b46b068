// A threshold as a sentence.
#pragma once

#include <string>
#include <vector>

#include "harness/store/rows/rows.h"
#include "stats/threshold.h"

namespace scalestudy {

// The measured quantity at one tested value of the axis.
struct TestedValue {
  double x = 0.0;
  double value = 0.0;  // speedup or efficiency
  double lo = 0.0;
  double hi = 0.0;
  int sign = 0;  // of lo and hi against the level: +1 above, -1 below, 0 not resolved
};

struct ThresholdFacts {
  std::vector<TestedValue> tested;  // by increasing x
  std::vector<stats::Piece> pieces;
  std::string unit;              // of the axis, empty where it has none
  bool is_count = false;         // along devices or nodes
  bool is_measured = false;      // along a measured time
  bool is_lower_better = false;  // so that a break-even is where the metric falls below the level
  bool shares_baseline = false;  // all tested values have the same one
  bool is_ladder = false;        // enough tested values, near enough to each other
  bool is_interpolated = false;  // and the crossing is at neither end of them
  std::size_t left_out = 0;      // cells without a usable ratio
  std::size_t unapplied = 0;     // cells left out as their setting, or their base's, did not count
};

// "devices=2: speedup reaches 1x between batch_global=64 and 128 (both resolved at 95 %);
// interpolated 70.6 samples [68.0, 73.8]"; the bracket alone where nothing is interpolated.
//   row  filled in but for its finding.
std::string describe_threshold(const ThresholdRow& row, const ThresholdFacts& facts);

}  // namespace scalestudy
