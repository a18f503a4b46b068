// Converts statuses of stats to those of stored rows.
#pragma once

#include "harness/store/rows/result_words.h"
#include "stats/status.h"

namespace scalestudy {

// The RowStatus with the same word; every stats::Status has one.
inline RowStatus row_status(stats::Status status) {
  return from_word<RowStatus>(stats::format_status(status)).value();
}

}  // namespace scalestudy
