// Which declared targets are met, each counted once, and which settings keep the limits.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// How many cells the target of that name is judged for.
std::size_t target_cells(const ReportInput& input, const std::string& name);

// One row for each target: the row over all its cells where it has several cells, else that of its
// cell.
std::vector<const TargetResultRow*> distinct_targets(const ReportInput& input);

// How many targets were met, with the names of the others: "1 met, 1 missed (second device pays)";
// "" without targets.
std::string target_summary(const ReportInput& input);

// Whether the cell is certain to keep every limit of the study. In a search for the largest batch
// that fits, also whether it has fitted in all its trials, and in as many as the study asks for.
bool keeps_limits(const ReportInput& input, const CellRow& cell);

// kOutOfMemory or kFailed if that is how all trials of the cell ended; absent if one ended
// otherwise or is still to run.
std::optional<Verdict> loss_of(const ReportInput& input, const CellRow& cell);

// " within 40 GB and 72 h", " with an accuracy of at least 0.9"; "" for a study without limits.
std::string within_text(const ReportInput& input);

// "not within 40 GiB: strategy ddp (44.1 GiB [43.9, 44.3]); not certain to be within 72 h: ...",
// after "every setting" if none is left; "" where every measured setting keeps all limits.
std::string left_out(const ReportInput& input);

}  // namespace scalestudy::report
