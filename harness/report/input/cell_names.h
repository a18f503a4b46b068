// What cells, and the parameters that set them apart, are called in tables, figures and sentences.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// What a cell is called where cells of several groups stand together: describe_cell, with the
// study's labels; where there is a common base, short_name.
std::string cell_name(const ReportInput& input, const CellRow& cell);

// "2 devices, batch 256, env.NCCL_ALGO=Ring": what a figure or a sentence calls a cell in its
// group. Devices are named where they vary.
std::string short_name(const ReportInput& input, const CellRow& cell);

// Varied parameters other than those that split groups, devices, nodes, batch and message size:
// "env.NCCL_ALGO=Ring"; "" for none. Where there is a common base, those alone in which the cell
// differs from it, and "base" of itself.
std::string configuration(const ReportInput& input, const CellRow& cell);

// "batch 256", "batch 256 per device"; "" without a batch, and where it is the same in every cell
// and the configuration tells them apart.
std::string batch_name(const ReportInput& input, const CellRow& cell);

// Whether the parameter of that name is the batch of all devices or of each.
bool is_batch(const std::string& name);

// The batch that the study's scaling mode holds fixed: global for strong, per device for weak.
std::optional<std::int64_t> fixed_batch(const ReportInput& input, const CellRow& cell);

// Size of a collective's message where it is varied, as a number.
std::optional<std::int64_t> message_bytes(const CellRow& cell);

// What the study's labels call the parameter; its own name otherwise.
std::string label_of(const ReportInput& input, const std::string& name);

// What a stored row says that curves differ in, with the study's labels: of "env.NCCL_ALGO=Ring
// batch_global=8" "algorithm=Ring, batch 8".
std::string curve_label(const ReportInput& input, const std::string& label);

}  // namespace scalestudy::report
