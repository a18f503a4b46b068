// What a table of nccl-tests says twice must agree.
#pragma once

#include "harness/audit/dataset/dataset.h"
#include "harness/import/readers.h"

namespace scalestudy {

// The number of devices that the rows follow from: bus over algorithm bandwidth is a known function
// of it for most collectives. Where it is another than the table's, that is taken out, with a note.
void check_nccl_devices(audit::Table& table, Reading& reading);

// The rows' mean bus bandwidth against the footer's average, with a note where they differ by more
// than both are rounded: rows are missing.
void check_nccl_average(const audit::Figure& average, const audit::Table& table, Reading& reading);

}  // namespace scalestudy
