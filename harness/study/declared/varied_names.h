// The names that differ from cell to cell.
#pragma once

#include <set>
#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy {

// Names of parameters varied by axes, zip, include or sides.
std::set<std::string> varied_names(const Study& study);

}  // namespace scalestudy
