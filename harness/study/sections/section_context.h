// What the functions that read sections are given.
#pragma once

#include <set>
#include <string>

#include "harness/study/declared/study.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

struct SectionContext {
  Study& study;
  ProblemList& problems;
  bool is_workload_known = false;  // else names and values of parameters cannot be checked
  // Names that setup or cleanup of a built-in workload use: parameters may have them, too.
  std::set<std::string> own_names = {};
  bool has_beside = false;       // has setup or cleanup, of a built-in workload
  bool has_other_cells = false;  // --set changes the cells, and may leave values without one
};

}  // namespace scalestudy
