// Warnings about a study before time is spent on it.
#pragma once

#include <string>
#include <vector>

#include "harness/host/machine.h"
#include "harness/run/world/nodes.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// One sentence for each warning about what the study declares, wherever it runs: sides that run the
// same program, selections that --set left without a cell, axes that are named like a number of
// devices where the study declares no `devices`.
std::vector<std::string> declared_warnings(const Study& study, const Matrix& matrix);

// Likewise, after those about cells that are oversubscribed or unsupported on this machine.
std::vector<std::string> study_warnings(const Study& study,
                                        const Matrix& matrix,
                                        Machine& machine,
                                        const Nodes& nodes = {});

// What the targets and the communication of the study take from elsewhere and the store of these
// results lacks so far, a sentence each.
std::vector<std::string> source_warnings(const Study& study, const std::string& results);

}  // namespace scalestudy
