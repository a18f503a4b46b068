// Columns whose cells hold two figures: "4.0ms (2.0x)", "17.1ms → 21.2ms".
#pragma once

#include "harness/audit/dataset/document.h"

namespace scalestudy::audit {

// Makes two columns of each whose cells hold two figures, one in brackets with a unit of its own or
// one behind an arrow. Most cells must be so, and the others one figure or none; any other column
// stays as it is.
void split_cells(DocumentTable& table);

}  // namespace scalestudy::audit
