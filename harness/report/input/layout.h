// How cells are laid out in tables and figures: one group a model or operation, rows by batch,
// devices and message size. What a threshold runs along does not split groups: the sizes of a model
// whose break-even is asked for stand in one table.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

struct Group {
  std::string label;                  // "model=mlp-4096"; "" when the study has one model
  std::string slug;                   // for file names: "model-mlp-4096"; "" likewise
  std::vector<const CellRow*> cells;  // measured, not excluded; in the order of rows
};

// Pointers into `input.cells`.
std::vector<Group> group_cells(const ReportInput& input);

// "tokens-per-second": for file names.
std::string slug_of(const std::string& text);

// What the study's labels call the parameter; its own name otherwise.
std::string label_of(const ReportInput& input, const std::string& name);

// What a stored row says that curves differ in, with the study's labels: of "env.NCCL_ALGO=Ring
// batch_global=8" "algorithm=Ring, batch 8".
std::string curve_label(const ReportInput& input, const std::string& label);

// "not_reached" -> "not reached".
std::string in_words(std::string word);

// True for "model" and "model.width".
bool shapes_model(const std::string& name);

// Whether cells that differ in this parameter are in different groups.
bool splits_groups(const ReportInput& input, const std::string& name);

// Varied parameters other than those that split groups, devices, nodes, batch and message size:
// "env.NCCL_ALGO=Ring"; "" for none. Where there is a common base, those alone in which the cell
// differs from it, and "base" of itself.
std::string configuration(const ReportInput& input, const CellRow& cell);

// "batch 256", "batch 256 per device"; "" without a batch, and where it is the same in every cell
// and the configuration tells them apart.
std::string batch_name(const ReportInput& input, const CellRow& cell);

// What a cell is called where cells of several groups stand together: describe_cell, with the
// study's labels; where there is a common base, short_name.
std::string cell_name(const ReportInput& input, const CellRow& cell);

// "2 devices, batch 256, env.NCCL_ALGO=Ring": what a figure or a sentence calls a cell in its
// group. Devices are named where they vary.
std::string short_name(const ReportInput& input, const CellRow& cell);

// Size of a collective's message where it is varied, as a number.
std::optional<std::int64_t> message_bytes(const CellRow& cell);

// The batch that the study's scaling mode holds fixed: global for strong, per device for weak.
std::optional<std::int64_t> fixed_batch(const ReportInput& input, const CellRow& cell);

}  // namespace scalestudy::report
