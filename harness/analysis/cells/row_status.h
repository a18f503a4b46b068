// Converts statuses of stats to those of stored rows.
#pragma once

#include <cstddef>
#include <string_view>

#include "harness/store/rows/result_words.h"
#include "stats/status.h"

namespace scalestudy {

// Whether the words of stats are the first ones of a row's statuses, in the same order.
constexpr bool has_statuses_of_stats() {
  std::string_view rest = kWords<RowStatus>;
  for (const std::string_view word : stats::kStatusWords) {
    const std::string_view own = rest.substr(0, rest.find('|'));
    if (own != word) {
      return false;
    }
    rest.remove_prefix(own.size() + 1);
  }
  return true;
}

static_assert(has_statuses_of_stats());

// The RowStatus with the same word; every stats::Status has one.
constexpr RowStatus row_status(stats::Status status) {
  return static_cast<RowStatus>(status);
}

}  // namespace scalestudy
