// Whether a study's cells fit this machine, asked before time is spent on them.
#pragma once

#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/run/command/command.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// What commands of these cells depend on here; `program` is left empty.
LaunchResources launch_resources(const std::vector<Cell>& cells,
                                 Machine& machine,
                                 const Nodes& nodes = {});

// Of which cells a report of this study, measured here, will say nothing about performance, because
// they have more ranks than cores or devices: every cell, one side of every comparison, or some,
// which are named. Empty if there are none.
std::string oversubscription(const Study& study,
                             const Matrix& matrix,
                             Machine& machine,
                             const Nodes& nodes = {});

// Why trials of some cells would end unsupported here, as far as it is known before a rank is
// started: a sentence for each reason, in the order of cells.
std::vector<std::string> unsupported_cells(const Study& study,
                                           const Matrix& matrix,
                                           Machine& machine,
                                           const Nodes& nodes = {});

}  // namespace scalestudy
