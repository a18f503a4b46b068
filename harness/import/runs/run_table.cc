#include "harness/import/runs/run_table.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "harness/audit/dataset/csv_text.h"
#include "harness/base/read_file.h"
#include "harness/import/runs/column_meaning.h"
#include "harness/run/values/printed_number.h"
#include "harness/text/csv_line.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

struct Point {
  std::string step;
  std::string value;
  int line = 0;
};

// One metric of one run in the table's order.
struct MetricColumn {
  const Meaning* meaning = nullptr;
  std::vector<Point> points;
};

using RunColumns = std::map<std::string, MetricColumn>;  // by metric

// A column of the file that an entry of the map names.
struct UsedColumn {
  std::size_t index = 0;
  const Meaning* meaning = nullptr;
  NamedTexts values;  // in the column's name
};

// The names of the columns. A name with ; or tabs in it, alone, gets advice on separators.
std::string names_of(const std::vector<audit::CsvField>& head) {
  std::vector<std::string> names;
  for (const audit::CsvField& field : head) {
    names.push_back(field.text);
  }
  const bool is_split =
      head.size() != 1 || head.front().text.find_first_of(";\t") == std::string::npos;
  return join(names, ", ") + (is_split ? "" : ". Save the table with commas between columns");
}

std::vector<UsedColumn> use_columns(const std::vector<audit::CsvField>& head,
                                    const std::vector<Meaning>& meanings,
                                    const std::string& path,
                                    const CellFinder& finder,
                                    std::vector<std::string>& problems) {
  std::vector<UsedColumn> used;
  for (const Meaning& meaning : meanings) {
    const RunPattern pattern(std::string(trimmed(meaning.column)), "--map");
    const std::size_t before = used.size();
    for (std::size_t i = 0; i < head.size(); ++i) {
      if (pattern.matches(head[i].text)) {
        ReadName read = read_name(pattern, head[i].text, finder);
        if (!read.problem.empty()) {
          problems.push_back(
              fmt::format("{}: column \"{}\": {}", path, head[i].text, read.problem));
        }
        if (meaning.is_in_seconds && names_other_unit(head[i].text)) {
          problems.push_back(fmt::format(
              "{0}: column \"{1}\": its name says another unit than s. If it is a time, "
              "write its unit, ms or us, behind the metric: --map '{2}={3}:UNIT'",
              path,
              head[i].text,
              meaning.column,
              meaning.word));
        }
        used.push_back({.index = i, .meaning = &meaning, .values = std::move(read.values)});
      }
    }
    if (used.size() == before) {
      problems.push_back(fmt::format(
          "{}: no column is named \"{}\"; its columns: {}", path, meaning.column, names_of(head)));
    } else if (used.size() > before + 1 && pattern.names().empty()) {
      problems.push_back(fmt::format("{}: several columns are named \"{}\"", path, meaning.column));
    }
  }
  return used;
}

// One finite number, also with commas between thousands.
std::optional<FoundNumbers> read_number(const std::string& text) {
  FoundNumbers found;
  try {
    add_printed(text, {}, found);
  } catch (const BadValue&) {
    return std::nullopt;
  }
  return found.not_finite.empty() ? std::optional(found) : std::nullopt;
}

std::optional<double> number_of(const std::string& text) {
  const std::optional<FoundNumbers> found = read_number(text);
  return found ? std::optional(found->numbers.front()) : std::nullopt;
}

// Whether the steps of each row come after those of the row before; else says so.
bool are_in_order(const std::string& metric,
                  const std::vector<Point>& points,
                  protocol::Record& record) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto before = number_of(points[i - 1].step);
    const auto now = number_of(points[i].step);
    if (before && now && *now <= *before) {
      record.problems.push_back(
          fmt::format("line {}: step {} of {} after step {}. If the run was resumed, keep one row "
                      "for each step, in order; if these are several runs, map a column to run",
                      points[i].line,
                      points[i].step,
                      metric,
                      points[i - 1].step));
      return false;
    }
  }
  return true;
}

std::vector<double> numbers_of(const std::string& metric,
                               const MetricColumn& column,
                               protocol::Record& record) {
  std::vector<double> numbers;
  std::size_t commas = 0;  // that may be decimal ones
  for (const Point& point : column.points) {
    const std::optional<FoundNumbers> number = read_number(point.value);
    if (!number) {
      record.has_bad_numbers = true;
      record.problems.push_back(
          fmt::format("line {}: {}: \"{}\" is not a number", point.line, metric, point.value));
      return {};
    }
    commas += number->may_be_decimal_comma ? 1 : 0;
    numbers.push_back(number->numbers.front() * column.meaning->unit.factor);
    if (metric == names::kStepTime && numbers.back() <= 0.0) {
      record.has_bad_numbers = true;
      record.problems.push_back(fmt::format(
          "line {}: {}: a step cannot take {:g} s", point.line, metric, numbers.back()));
      return {};
    }
  }
  if (commas == numbers.size()) {
    record.notes.push_back(
        fmt::format("every {} has one comma and three digits after it, which "
                    "were read as thousands: if the comma is a decimal one, "
                    "write points instead",
                    metric));
  }
  return numbers;
}

// Whether the times of steps are all above three years: readings of a clock.
bool are_time_stamps(const std::string& metric, const std::vector<double>& values) {
  constexpr double three_years_s = 1e8;
  return metric == names::kStepTime &&
         std::ranges::all_of(values, [](double value) { return value > three_years_s; });
}

protocol::Record record_of(const RunColumns& columns, const Steps& steps) {
  protocol::Record record;
  auto step_count =
      static_cast<std::size_t>(steps.warmup) + static_cast<std::size_t>(steps.measured);
  if (const auto times = columns.find(names::kStepTime); times == columns.end()) {
    record.problems.emplace_back("it has no step time");
  } else if (steps.is_open) {
    step_count = times->second.points.size();
  }
  for (const auto& [metric, column] : columns) {
    if (!are_in_order(metric, column.points, record)) {
      continue;
    }
    std::vector<double> values = numbers_of(metric, column, record);
    if (values.empty()) {
      continue;
    }
    if (are_time_stamps(metric, values)) {
      record.problems.push_back(metric + ": it is a reading of a clock, not the time of a step");
      continue;
    }
    const bool has_warmup =
        values.size() == step_count && values.size() > static_cast<std::size_t>(steps.warmup);
    record.events.emplace_back(protocol::Samples{.metric = metric,
                                                 .unit = column.meaning->unit.unit,
                                                 .rank = std::nullopt,
                                                 .warmup = has_warmup ? steps.warmup : 0,
                                                 .values = std::move(values)});
  }
  record.events.emplace_back(protocol::End{.ok = true, .message = ""});
  return record;
}

// "step,step_time_s\n0,0.25\n": what the run has in the table, a metric after the other.
std::string text_of(const RunColumns& columns) {
  std::string text;
  for (const auto& [metric, column] : columns) {
    text += fmt::format("step,{} [{}]\n", metric, column.meaning->unit.unit);
    for (const Point& point : column.points) {
      text += csv_line({point.step, point.value});
    }
  }
  return text;
}

// Lowers `least` to the least distance of two steps that follow each other.
void lower_distance(const std::vector<Point>& points, std::optional<double>& least) {
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto before = number_of(points[i - 1].step);
    const auto now = number_of(points[i].step);
    if (before && now) {
      least = std::min(least.value_or(*now - *before), *now - *before);
    }
  }
}

using Lines = std::vector<std::vector<audit::CsvField>>;

// Columns may be padded, so that they stand below each other.
void trim_fields(Lines& lines) {
  for (std::vector<audit::CsvField>& row : lines) {
    for (audit::CsvField& field : row) {
      field.text = std::string(trimmed(field.text));
    }
  }
}

// "" if the row is too short for it.
std::string text_at(const std::vector<audit::CsvField>& row, const UsedColumn& column) {
  return column.index < row.size() ? row[column.index].text : std::string();
}

// What a row says of its run, beside what the name of the file says, which it must not contradict.
NamedTexts values_of(const std::vector<audit::CsvField>& row,
                     const std::vector<UsedColumn>& used,
                     const FoundRun& whole,
                     std::vector<std::string>& problems) {
  NamedTexts values = whole.values;
  for (const UsedColumn& column : used) {
    const std::string& word = column.meaning->word;
    if (column.meaning->is_metric || word == kStepMeaning) {
      continue;
    }
    const std::string text = text_at(row, column);
    const auto named = whole.values.find(word);
    if (named != whole.values.end() && !text.empty() && !same_value(named->second, text)) {
      problems.push_back(fmt::format("{}:{}: {} is \"{}\" here, and {} in the name of the file",
                                     whole.path,
                                     row.front().line,
                                     word,
                                     text,
                                     named->second));
    }
    values.emplace(word, text);  // in the spelling of the file's name
  }
  return values;
}

std::map<NamedTexts, RunColumns> divide_rows(const Lines& lines,
                                             const std::vector<UsedColumn>& used,
                                             const FoundRun& whole,
                                             std::vector<std::string>& problems) {
  std::map<NamedTexts, RunColumns> runs;
  const auto steps = std::ranges::find(
      used, kStepMeaning, [](const UsedColumn& column) { return column.meaning->word; });
  for (std::size_t row = 1; row < lines.size(); ++row) {
    const NamedTexts values = values_of(lines[row], used, whole, problems);
    const std::string step = steps == used.end() ? "" : text_at(lines[row], *steps);
    for (const UsedColumn& column : used) {
      const std::string text = text_at(lines[row], column);
      if (!column.meaning->is_metric || text.empty()) {
        continue;
      }
      NamedTexts key = values;
      key.insert(column.values.begin(), column.values.end());
      MetricColumn& metric = runs[key][column.meaning->word];
      const int line = lines[row].front().line;
      if (!metric.points.empty() && metric.points.back().line == line) {
        problems.push_back(fmt::format("{}:{}: two columns have {} of one run: \"{}\" is one",
                                       whole.path,
                                       line,
                                       column.meaning->word,
                                       lines.front()[column.index].text));
        return runs;
      }
      metric.meaning = column.meaning;
      metric.points.push_back({.step = step, .value = text, .line = line});
    }
  }
  return runs;
}

}  // namespace

void read_table(const FoundRun& whole,
                const RunsRequest& request,
                const CellFinder& finder,
                const Steps& steps,
                FoundRuns& found) {
  const std::vector<Meaning> meanings = parse_map(request, finder);
  std::vector<Problem> csv_problems;
  Lines lines = audit::parse_csv(read_file(whole.path).value_or(""), csv_problems);
  trim_fields(lines);
  for (const Problem& problem : csv_problems) {
    found.problems.push_back(fmt::format("{}:{}: {}", whole.path, problem.line, problem.message));
  }
  if (lines.empty() || !csv_problems.empty()) {
    if (csv_problems.empty()) {
      found.problems.push_back(whole.path + ": the file is empty");
    }
    return;
  }
  const std::vector<UsedColumn> used =
      use_columns(lines.front(), meanings, whole.path, finder, found.problems);
  const std::map<NamedTexts, RunColumns> runs = divide_rows(lines, used, whole, found.problems);
  std::optional<double> distance;  // of steps that have rows
  for (const auto& [values, columns] : runs) {
    FoundRun& run = found.runs.emplace_back(whole);
    run.values = values;
    NamedTexts own = values;
    std::erase_if(own, [&](const auto& named) { return whole.values.contains(named.first); });
    run.part = own.empty() ? "" : "#" + describe_values(own);
    run.source += run.part;
    run.record = record_of(columns, steps);
    for (const std::string& note : run.record->notes) {
      if (const std::string told = whole.path + ": " + note;
          std::ranges::find(found.notes, told) == found.notes.end()) {
        found.notes.push_back(told);
      }
    }
    run.table = text_of(columns);
    if (const auto times = columns.find(names::kStepTime); times != columns.end()) {
      lower_distance(times->second.points, distance);
    }
  }
  if (runs.empty()) {
    found.problems.push_back(whole.path + ": it has no value of these columns");
  } else if (distance > 1.0) {
    found.notes.push_back(
        fmt::format("{} has one row for every {} steps. If a step time is the mean over these "
                    "steps, nothing is lost; if it is the time of one step, the steps between are "
                    "unknown",
                    whole.path,
                    *distance));
  }
}

}  // namespace scalestudy
