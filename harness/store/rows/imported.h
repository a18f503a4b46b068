// What is known of trials that were read from logs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/store/rows/trial_rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

struct Imported {
  std::int64_t trials = 0;  // last attempts
  bool has_blocks = true;   // which trials ran together is declared for all of them
  bool has_order = true;    // the order of launches likewise
};

// Absent for a study whose trials the harness ran, or that has none.
std::optional<Imported> imported_of(const std::vector<TrialRow>& trials);

// The study as its trials were made: in blocks if these are declared, else without an order; and
// without rules that end a run, which had no effect on them.
Study as_imported(Study study, const std::optional<Imported>& imported);

}  // namespace scalestudy
