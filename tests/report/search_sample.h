// A study that searches, with results typed by hand: a setting was left, one failed, one is racing.
#pragma once

#include <cstdint>
#include <optional>

#include "tests/report/sample_study.h"

namespace scalestudy::test {

inline report::ReportInput sample_of_search() {
  report::ReportInput input = read_sample();
  Search search;
  search.over = {"devices", "batch_global"};
  search.budget_s = 3600.0;
  input.declared.search = search;
  SearchSettingRow row;
  row.quantity = "speedup";
  row.race_trials = 3;
  for (const SearchRole role : {SearchRole::kLeft, SearchRole::kFailed, SearchRole::kRacing}) {
    row.cell_id = input.cells.at(input.results.search_settings.size()).id;
    row.role = role;
    row.left_after = role == SearchRole::kRacing ? std::nullopt : std::optional<std::int64_t>(2);
    row.finding = to_word(role) + " for a reason";
    input.results.search_settings.push_back(row);
  }
  return input;
}

}  // namespace scalestudy::test
