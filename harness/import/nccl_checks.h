// Checks that numbers which a table of nccl-tests states twice agree.
#pragma once

#include "harness/audit/dataset/dataset.h"
#include "harness/import/readers.h"

namespace scalestudy {

// Checks the table's number of devices against its rows: for most collectives, bus bandwidth over
// algorithm bandwidth is a known function of that number. If they disagree, removes the number from
// the table's conditions and adds a note.
void check_nccl_devices(audit::Table& table, Reading& reading);

// Checks the rows' mean bus bandwidth against the footer's average. Adds a note if they differ by
// more than their rounding explains, since rows must be missing then.
void check_nccl_average(const audit::Figure& average, const audit::Table& table, Reading& reading);

}  // namespace scalestudy
