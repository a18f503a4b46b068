// Which parameters divide cells into groups of their own.
#pragma once

#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy::report {

// Whether the parameter is the model or one of its dimensions: "model", "model.width".
bool shapes_model(const std::string& name);

// Whether cells that differ in this parameter are in different groups: the model and the operation
// unless a threshold of the study runs along them.
bool splits_groups(const Study& study, const std::string& name);

}  // namespace scalestudy::report
