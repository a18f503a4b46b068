// Columns whose cells hold two figures: "4.0ms (2.0x)", "17.1ms → 21.2ms", "4 × 8 GPUs".
#pragma once

#include <string_view>

#include "harness/audit/draft/document.h"

namespace scalestudy::audit {

// Splits each column whose cells hold two figures, of which the second is after an arrow, or in
// brackets with a unit of its own. Most cells must hold two, and the others one or none; any other
// column stays as it is. Leaves "(baseline)" after a figure out. Nodes times devices of each become
// two columns, of the nodes and of all devices; `printed_heads` keeps their heading.
void split_cells(DocumentTable& table);

// Whether the text is a unit that says what it measures: "ms", "%", "img/s".
bool is_unit(std::string_view unit);

// Whether the text is a figure with such a unit, or without any if it needs none.
bool reads_as_figure(std::string_view text, bool needs_unit);

}  // namespace scalestudy::audit
