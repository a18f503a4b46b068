// Which parameters divide cells into groups of their own.
#pragma once

#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy::report {

// True for "model" and "model.width".
bool shapes_model(const std::string& name);

// Whether cells that differ in this parameter are in different groups.
bool splits_groups(const Study& study, const std::string& name);

}  // namespace scalestudy::report
