// What the reader of a section is given.
#pragma once

#include "harness/study/declared/study.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

struct SectionContext {
  Study& study;
  ProblemList& problems;
  bool is_workload_known = false;  // names and values can be checked
  bool has_other_cells = false;    // --set lays out others, and may leave values without a cell
};

}  // namespace scalestudy
