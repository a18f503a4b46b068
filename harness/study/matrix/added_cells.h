// The cells that a run added to a study's matrix.
#pragma once

#include <functional>

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Appends the new cells of study.additions to the measured ones, in their order, and adds the
// further blocks of existing cells. An addition to a cell that the study no longer has is left out;
// an added cell that the study declares by now keeps the blocks that its trials have.
// - make: makes a cell from all its parameters.
void add_cells(const Study& study,
               const std::function<Cell(const Parameters& declared)>& make,
               Matrix& matrix);

}  // namespace scalestudy
