// Rows about trials and steps that the study's outlier rule marks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/store/rows/result_words.h"

namespace scalestudy {

// A trial or its steps that a declared rule marks; never deleted.
struct FlagRow {
  std::int64_t trial_id = 0;
  FlagLevel level = FlagLevel::kTrial;
  std::string rule;             // modified-z > 3.5
  std::int64_t count = 0;       // flagged steps; 1 at trial level
  double share = 0.0;           // share of the measured steps' time in them; 1 at trial level
  std::optional<double> score;  // the trial's score by the rule; absent at step level
};

// Steps that the rule marks in those trials of one cell that count. Cells without any have no row.
struct FlaggedStepsRow {
  std::int64_t cell_id = 0;
  std::int64_t trials = 0;
  std::int64_t flagged_trials = 0;  // with at least one marked step
  std::int64_t steps = 0;           // measured
  std::int64_t flagged_steps = 0;
  double share = 0.0;  // share of the measured steps' time spent in marked steps
};

}  // namespace scalestudy
