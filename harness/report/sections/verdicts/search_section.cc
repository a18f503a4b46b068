// A search: which setting to use, what fresh blocks say of the few that the race left, and what
// became of the others.
#include <algorithm>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

using Setting = SearchSettingRow;

// Those on fresh blocks first, then those that stayed longest.
std::vector<Setting> ordered(const ReportInput& input) {
  std::vector<Setting> rows = input.results.search_settings;
  const auto rank = [](const Setting& row) {
    switch (row.role) {
      case SearchRole::kWinner:
        return 0;
      case SearchRole::kCandidate:
        return 1;
      case SearchRole::kDefault:
        return 2;
      case SearchRole::kRacing:
        return 3;
      default:
        return 4;
    }
  };
  std::ranges::stable_sort(rows, [&](const Setting& a, const Setting& b) {
    return std::pair(rank(a), -a.left_after.value_or(0)) <
           std::pair(rank(b), -b.left_after.value_or(0));
  });
  return rows;
}

Column<Setting> ratio_column(const ReportInput& input,
                             const ColumnHead& head,
                             const std::function<std::string(const Setting&)>& quantity) {
  return {head, [&input, quantity](const Setting& row) {
            const ComparisonRow* found = input.comparison(row.cell_id, quantity(row));
            return found == nullptr ? "" : format_interval(measure_of(*found), {.levels = {1.0}});
          }};
}

std::vector<Column<Setting>> search_columns(const ReportInput& input) {
  using enum Align;
  const auto own = [](const Setting& row) { return row.quantity; };
  const auto winner = [](const Setting&) { return std::string(names::kAgainstWinner); };
  const auto verdict = [&input](const Setting& row, const std::string& quantity) {
    const ComparisonRow* found = input.comparison(row.cell_id, quantity);
    return found == nullptr ? "" : noted_verdict(*found);
  };
  return {
      {{"setting", "Setting", "what it varies", kText},
       [&input](const Setting& row) { return cell_name(input, input.cell(row.cell_id)); }},
      {{"role",
        "In the search",
        "winner, candidate, default, left, failed, racing, untried",
        kText},
       [](const Setting& row) {
         return to_word(row.role) + (row.is_recommended ? ", use this" : "");
       }},
      {{"departures", "Departures", "values that are not the default's"},
       [](const Setting& row) { return std::to_string(row.departures); }},
      {{"race_trials", "Race trials", "ok trials of the race, which no gain rests on"},
       [](const Setting& row) { return std::to_string(row.race_trials); }},
      {{"left_after", "Left after (blocks)", "blocks of the race", kNumber, Shown::kPresent},
       [](const Setting& row) { return count_text(row.left_after); }},
      ratio_column(input,
                   {"gain",
                    "Over the default (ratio)",
                    "on fresh blocks [interval]",
                    kNumber,
                    Shown::kPresent},
                   own),
      {{"verdict", "Verdict", "of that, with all of them allowed for", kText, Shown::kPresent},
       [=](const Setting& row) { return verdict(row, row.quantity); }},
      ratio_column(input,
                   {"against_winner",
                    "Over the winner (ratio)",
                    "on fresh blocks [interval]",
                    kNumber,
                    Shown::kPresent},
                   winner),
      {{"winner_verdict", "Verdict", "of that, likewise", kText, Shown::kPresent},
       [=](const Setting& row) { return verdict(row, names::kAgainstWinner); }},
      {{"finding", "", "why it left, or what fresh blocks say", kText, Shown::kNever},
       [](const Setting& row) { return row.finding; }},
  };
}

std::string count_of(const std::vector<Setting>& rows, SearchRole role) {
  return std::to_string(std::ranges::count(rows, role, &Setting::role));
}

// "64 settings of bucket_mb, overlap; 230 trials of the race, 250 on fresh blocks".
std::string summary(const ReportInput& input) {
  const std::vector<Setting>& rows = input.results.search_settings;
  std::int64_t race = 0;
  std::int64_t fresh = 0;
  for (const TrialRow* trial : input.last_attempts()) {
    if (trial->state == TrialState::kOk && trial->part != SearchPart::kNone) {
      (trial->part == SearchPart::kRace ? race : fresh) += 1;
    }
  }
  return fmt::format("{} of {}: {} in the race and {} on fresh blocks",
                     format_count(static_cast<std::int64_t>(rows.size()), "setting"),
                     join(input.declared.search->over, ", "),
                     format_count(race, "ok trial"),
                     fresh);
}

void fill_search(View& view, const ReportInput& input, const Figures&) {
  const std::vector<Setting> rows = ordered(input);
  view.set_list("search", one_table(search_columns(input), rows));
  view.set_text("search_summary", "");
  view.set_text("search_racing", "");
  view.set_list("search_failures", {});
  if (rows.empty() || !input.declared.search) {
    return;
  }
  view.set_text("search_summary", summary(input));
  view.set_text("search_racing",
                std::ranges::count(rows, SearchRole::kRacing, &Setting::role) > 0
                    ? count_of(rows, SearchRole::kRacing)
                    : "");
  View::List failures;
  for (const Setting& row : rows) {
    if (row.role == SearchRole::kFailed || row.role == SearchRole::kUntried) {
      failures.emplace_back();
      failures.back().set_text("setting", cell_name(input, input.cell(row.cell_id)));
      failures.back().set_text("reason", row.finding);
    }
  }
  view.set_list("search_failures", std::move(failures));
}

}  // namespace

Section search_section() {
  using enum TagKind;
  return {table_tags("search", "settings of a search", heads_of(search_columns(empty_input()))) +
              Tags{{"search_summary", kText, "settings and trials of the search"},
                   {"search_racing", kText, "settings still in the race; absent once it is over"},
                   {"search_failures", kList, "settings that failed, or joined too late"},
                   {"search_failures.setting", kText, "what it varies"},
                   {"search_failures.reason", kText, "a sentence"}},
          fill_search};
}

}  // namespace scalestudy::report
