// Where a metric may cross a level, in words: the same for findings, first screens and tables.
#pragma once

#include <optional>
#include <string>

#include "harness/store/cell_name.h"
#include "harness/store/rows/curve_rows.h"

namespace scalestudy {

// A tested value of the row's axis, in full: "64", "16 KiB"; for a measured time, what is known of
// it.
std::string tested_text(const ThresholdRow& row, double value);

// The row's level: "80 %", "1x".
// - unit: of the metric if the level is a value of it, "250 MB"; absent for a ratio.
// - largest: of the metric's values, which are printed in the same unit.
std::string level_text(const ThresholdRow& row,
                       const std::optional<std::string>& unit,
                       std::optional<double> largest);

// "batch_global 32 to 64", "above 64": the tested values on either side of the crossing; "–" where
// neither is known.
std::string bracket_text(const ThresholdRow& row);

// Whether the set lies between two neighbouring tested values at which the difference is certain.
bool is_calm(const ThresholdRow& row);

// Where the crossing may lie, of a row with the status crossed, crossed_down or unresolved,
// and of one with several crossings and a set:
// - "between batch 64 and 128, best estimate 70.6 [68, 73.8]": is_calm().
// - "between batch 50 and 64, or between 65 and 170; best estimate 58; at 64 and 128 the gain is
//   not certain": it does not, or has several pieces.
// - "between batch 16 and 25, and between 83 and 118": several crossings.
// - "between batch 64 and 128": nothing is interpolated.
// A confidence set gives no likelihood, so that no piece is called likely.
// - unit: of the axis, after the estimate; may be empty.
std::string crossing_text(const ThresholdRow& row,
                          const std::string& unit = "",
                          const ParameterLabels& labels = {});

// "at 64 and 128 the gain is not certain"; "" where it is at all tested values.
std::string open_values_text(const ThresholdRow& row);

}  // namespace scalestudy
