// Rows about the settings of a search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/text/words.h"

namespace scalestudy {

// What became of a setting of a search. kRacing: the race goes on with it; kLeft: it was not among
// the better half; kFailed: a trial of it did, or its variables were not applied; kUntried: it
// joined the study after the race had begun; the others: measured again on fresh blocks.
enum class SearchRole { kRacing, kLeft, kFailed, kUntried, kWinner, kCandidate, kDefault };

template <>
inline constexpr std::string_view kWords<SearchRole> =
    "racing|left|failed|untried|winner|candidate|default";

// What became of one setting of a search; what it gains is a comparison.
struct SearchSettingRow {
  std::int64_t cell_id = 0;
  std::string quantity;         // of the comparisons with the default that say what it gains
  std::int64_t departures = 0;  // values that are not the default's
  SearchRole role = SearchRole::kRacing;
  std::int64_t race_trials = 0;            // ok ones, which no gain rests on
  std::optional<std::int64_t> left_after;  // blocks of the race; absent: measured to its end
  bool is_recommended = false;             // of one setting at most
  std::string finding;                     // why it left, or what fresh blocks say of it
};

}  // namespace scalestudy
