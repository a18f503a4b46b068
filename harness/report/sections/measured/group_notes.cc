#include "harness/report/sections/measured/group_notes.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/used_sessions.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {

std::string few_sessions(const ReportInput& input) {
  return used_sessions(input).size() == 2 ? "two" : "two to four";
}

namespace {

// " in 2 of 9 rows"; "" of all.
std::string among_rows(const char* in, std::size_t count, const Group& group) {
  return count == group.cells.size()
             ? ""
             : fmt::format(" {} {} of {} rows", in, count, group.cells.size());
}

// What intervals of this group's step times are about where several sessions ran their trials.
std::vector<std::string> session_notes(const ReportInput& input, const Group& group) {
  std::map<std::string, std::size_t> counts;
  for (const CellRow* cell : group.cells) {
    const EstimateRow* row = input.estimate(cell->id, names::kStepTime);
    ++counts[row != nullptr && row->lo ? row->method : ""];
  }
  std::vector<std::string> notes;
  for (const auto& [method, text] :
       {std::pair<std::string, std::string>(
            "mean_ci_t_within",
            "hold within the " + few_sessions(input) +
                " sessions that ran their trials, and say nothing of further ones"),
        {"mean_ci_t_sessions", "are over sessions, each by its mean"}}) {
    if (counts.contains(method)) {
      notes.push_back("The intervals" + among_rows("of", counts.at(method), group) + " " + text);
    }
  }
  return notes;
}

// What a status other than "ok" means, for people: "too few trials".
std::string status_meaning(RowStatus status) {
  switch (status) {
    case RowStatus::kInsufficientData:
      return "too few trials";
    case RowStatus::kUnflagged:
      return "flagged trials are left out, which no interval allows for";
    case RowStatus::kUnattainable:
      return "too few steps beyond the quantile";
    case RowStatus::kZeroVariance:
      return "all values are equal";
    case RowStatus::kInvalidInput:
      return "a value is not a positive number";
    default:
      return to_word(status);
  }
}

// Why numbers of this group's results are absent, one line a reason; statistics that are absent
// from the same number of rows for the same reason share it.
std::vector<std::string> notes_of(const ReportInput& input, const Group& group) {
  std::map<std::pair<std::string, std::string>, std::size_t> absent;  // reason, statistic
  for (const CellRow* cell : group.cells) {
    for (const Statistic statistic :
         {Statistic::kMean, Statistic::kP50, Statistic::kP95, Statistic::kP99}) {
      const EstimateRow* row = input.estimate(cell->id, names::kStepTime, statistic);
      if (row != nullptr && (!row->value || !row->lo)) {
        const bool is_short =
            statistic == Statistic::kP50 && row->status == RowStatus::kUnattainable;
        ++absent[{row->n == 0 ? "no trial counts"
                  : is_short  ? "too few steps in a trial"
                              : status_meaning(row->status),
                  to_word(statistic)}];
      }
    }
  }
  std::map<std::pair<std::string, std::size_t>, std::vector<std::string>> together;
  for (const auto& [key, count] : absent) {
    together[{key.first, count}].push_back(key.second);
  }
  std::vector<std::string> notes = session_notes(input, group);
  const std::set<std::int64_t> not_as_asked = unapplied_cells(input);
  std::vector<std::string> unapplied;
  for (const CellRow* cell : group.cells) {
    if (not_as_asked.contains(cell->id)) {
      unapplied.push_back(short_name(input, *cell));
    }
  }
  if (!unapplied.empty()) {
    notes.push_back("Not shown to have the setting that they name: " + list_some(unapplied));
  }
  for (const auto& [key, statistics] : together) {
    notes.push_back(fmt::format("No interval for the {} of the step time{}: {}",
                                join_words(statistics),
                                among_rows("in", key.second, group),
                                key.first));
  }
  return notes;
}

}  // namespace

void add_notes(View& table, const ReportInput& input, const Group& group) {
  View::List notes;
  for (const std::string& text : notes_of(input, group)) {
    notes.emplace_back();
    notes.back().set_text("note", text);
  }
  table.set_list("notes", std::move(notes));
}

}  // namespace scalestudy::report
