#include "harness/cli/start/time_table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "harness/cli/run/run_progress.h"
#include "harness/cli/start/time_study.h"
#include "harness/cli/table.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr std::size_t kMostRows = 20;  // that any terminal shows whole, so that they can be redrawn

}  // namespace

TimeTable::TimeTable(const std::vector<Cell>& cells) {
  for (const Cell& cell : cells) {
    std::string command = cell.label;
    for (const char* name : {kTimedCommand, kTimedName}) {
      if (const auto value = cell.varied.find(name); value != cell.varied.end()) {
        command = format_value(value->second);
      }
    }
    lines_.push_back({.label = cell.label, .command = std::move(command), .times_s = {}});
  }
}

double TimeTable::Line::mean_s() const {
  return times_s.empty() ? 0.0
                         : std::accumulate(times_s.begin(), times_s.end(), 0.0) /
                               static_cast<double>(times_s.size());
}

double TimeTable::shortest_s() const {
  double shortest_s = 0.0;
  for (const Line& line : lines_) {
    if (!line.times_s.empty() && (shortest_s == 0.0 || line.mean_s() < shortest_s)) {
      shortest_s = line.mean_s();
    }
  }
  return shortest_s;
}

std::string TimeTable::text() const {
  QueryResult table;
  table.columns = {"command", "trials", "mean", "fastest", "slowest", "x the first"};
  const double first_s = lines_.front().mean_s();
  for (const Line& line : lines_) {
    if (line.times_s.empty()) {
      table.rows.push_back({line.command, std::int64_t{0}, {}, {}, {}, {}});
      continue;
    }
    const auto [fastest, slowest] = std::ranges::minmax(line.times_s);
    table.rows.push_back(
        {line.command,
         std::ssize(line.times_s),
         format_duration(line.mean_s()),
         format_duration(fastest),
         format_duration(slowest),
         first_s > 0.0 ? Field(fmt::format("{:.2f}", line.mean_s() / first_s)) : Field()});
  }
  return format_table(table, Format::kTable);
}

void TimeTable::show(const Progress& progress, const Store& store, Terminal& terminal) {
  const auto line = std::ranges::find(lines_, progress.cell_label, &Line::label);
  if (progress.state == TrialState::kOk && line != lines_.end()) {
    line->times_s.push_back(progress.trial_wall_s);
    if (terminal.can_redraw() && terminal.shows_progress() && lines_.size() <= kMostRows) {
      terminal.redraw(text());
    }
  }
  show_progress_of(
      line == lines_.end() ? progress.cell_label : line->command, progress, store, terminal);
}

}  // namespace scalestudy
