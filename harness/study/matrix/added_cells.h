// The cells that a run added to a study's matrix.
#pragma once

#include <functional>

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Appends the cells of study.additions to the measured ones, in their order, and gives the cells
// that they name again their further blocks. What is like a cell that the study no longer has is
// left out; one that the study declares by now stays in the blocks that its trials have.
//   make  a cell of all its parameters.
void add_cells(const Study& study,
               const std::function<Cell(const Parameters& declared)>& make,
               Matrix& matrix);

}  // namespace scalestudy
