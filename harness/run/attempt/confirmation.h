// What a confirm run (session/confirm.h) tells the trials of its cell.
#pragma once

#include <vector>

#include "harness/store/rows/rows.h"

namespace scalestudy {

// The result of a confirm run, which goes into the record of each trial of the cell.
struct Confirmation {
  std::vector<TelemetryRow> telemetry;  // "setting.NCCL_ALGO": 1, 0 or -1 (FoundSetting::state)
  std::vector<LogRow> logs;             // a sentence for each variable
};

}  // namespace scalestudy
