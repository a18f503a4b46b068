// The groups of cells that share a table and figures: one for each model or operation. The
// parameter that a threshold runs along does not split groups: if the study asks for the model size
// at which a break-even lies, all sizes are in one group.
#pragma once

#include <string>
#include <vector>

#include "harness/report/input/input.h"

namespace scalestudy::report {

// Cells of one model or operation.
struct Group {
  std::string label;                  // "model mlp-4096"; "" when the study has one model
  std::string slug;                   // the label in file names: "model-mlp-4096"; "" with it
  std::vector<const CellRow*> cells;  // measured, not excluded; in the order of a table's rows
};

// The groups of all measured cells that are not excluded, each sorted by configuration, batch,
// devices and message size, as make_index() found them. The cells point into `input.cells`.
std::vector<Group> group_cells(const ReportInput& input);

// Finds those groups, for make_index(), by the rest of the index.
std::vector<GroupIndex> find_groups(const ReportInput& input);

// The label in lower case with only letters, digits, dots and dashes, for file names:
// "tokens-per-second". One of more than 120 characters is cut and ends in the hash of the label.
std::string slug_of(const std::string& label);

}  // namespace scalestudy::report
