// Rows about the settings of a search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/text/words.h"

namespace scalestudy {

// What became of a setting of a search. kRacing: it is still in the race; kLeft: it was not among
// the better half; kFailed: one of its trials failed, or its variables were not applied; kUntried:
// it joined the study after the race had begun; the others: it was measured again on fresh blocks.
enum class SearchRole { kRacing, kLeft, kFailed, kUntried, kWinner, kCandidate, kDefault };

template <>
inline constexpr std::string_view kWords<SearchRole> =
    "racing|left|failed|untried|winner|candidate|default";

// The outcome of one setting of a search. Its gain over the default is a ComparisonRow.
struct SearchSettingRow {
  std::int64_t cell_id = 0;
  std::string quantity;         // quantity of the comparison with the default
  std::int64_t departures = 0;  // values that are not the default's
  SearchRole role = SearchRole::kRacing;
  std::int64_t race_trials = 0;            // ok trials of the race; no gain rests on them
  std::optional<std::int64_t> left_after;  // blocks of the race; absent: measured to its end
  bool is_recommended = false;             // true for one setting at most
  std::string finding;                     // why it left, or what fresh blocks show
};

}  // namespace scalestudy
