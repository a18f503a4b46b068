// Statuses of stats as those of stored rows.
#pragma once

#include "harness/store/rows/result_words.h"
#include "stats/status.h"

namespace scalestudy {

// Of the same word: each of stats is one of a row's.
inline RowStatus row_status(stats::Status status) {
  return from_word<RowStatus>(stats::format_status(status)).value();
}

}  // namespace scalestudy
