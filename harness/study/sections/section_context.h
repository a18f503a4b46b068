// What the functions that read sections are given.
#pragma once

#include "harness/study/declared/study.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

struct SectionContext {
  Study& study;
  ProblemList& problems;
  bool is_workload_known = false;  // else names and values of parameters cannot be checked
  bool has_other_cells = false;    // --set changes the cells, and may leave values without one
};

}  // namespace scalestudy
