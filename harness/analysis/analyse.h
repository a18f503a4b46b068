// Stored samples -> result rows. Deterministic: the same store gives the same rows.
#pragma once

#include <cstdint>

#include "harness/store/store.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Raised when the same trials give other numbers, or numbers that mean something else.
//   1  the time of a step was the mean over steps of the slowest rank's time; results of that
//      version do not name one
//   2  it is that of the trial's measured window (StepTime); cells are compared on common blocks,
//      by session and as ratios of means; a target has one verdict over its cells
//   3  break-evens and the time of communication allow for looks; a break-even of a metric that is
//      better when lower is where it falls below the level; what a single seed fixes is one value;
//      targets on rates of saves are tested over several cells
//   4  intervals of times, amounts, rates and shares end before their bounds; laws over devices are
//      fitted to mean times, and serial fractions allow for cells that spread differently
inline constexpr int kAnalysisVersion = 4;

// All results of one stored study. Reads trials and series, writes nothing.
Results analyse(const Store& store, std::int64_t study_id, const Study& study);

}  // namespace scalestudy
