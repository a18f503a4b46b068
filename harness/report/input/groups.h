// How cells are laid out in tables and figures: one group a model or operation, rows by batch,
// devices and message size. What a threshold runs along does not split groups: the sizes of a model
// whose break-even is asked for stand in one table.
#pragma once

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

}  // namespace scalestudy::report
