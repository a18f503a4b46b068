#include "harness/import/runs/run_table.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "harness/audit/dataset/csv_text.h"
#include "harness/base/read_file.h"
#include "harness/import/runs/column_meaning.h"
#include "harness/import/runs/run_columns.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

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

using Lines = std::vector<std::vector<audit::CsvField>>;

// Columns may be padded, so that they stand below each other.
void trim_fields(Lines& lines) {
  for (std::vector<audit::CsvField>& row : lines) {
    for (audit::CsvField& field : row) {
      field.text = std::string(trimmed(field.text));
    }
  }
}

// A row may be shorter than the head, and both may end with commas, as spreadsheets write. Text
// after the last column with a name is usually the rest of a number with a comma; within the head's
// width it may also be a remark, which does not begin with a digit.
void refuse_long_rows(const Lines& lines,
                      const std::string& path,
                      std::vector<std::string>& problems) {
  const std::vector<audit::CsvField>& head = lines.front();
  const auto has_text = [](const audit::CsvField& field) { return !field.text.empty(); };
  const auto named =
      static_cast<std::size_t>(head.rend() - std::find_if(head.rbegin(), head.rend(), has_text));
  for (const std::vector<audit::CsvField>& row : lines) {
    bool is_long = false;
    for (std::size_t i = named; i < row.size(); ++i) {
      const std::string& text = row[i].text;
      is_long |= !text.empty() &&
                 (i >= head.size() || std::isdigit(static_cast<unsigned char>(text.front())) != 0);
    }
    if (is_long) {
      problems.push_back(
          fmt::format("{}:{}: this row has {} fields, but no column after the first {} has a name. "
                      "Put a number with a comma in quotes: \"1,234\"",
                      path,
                      row.front().line,
                      row.size(),
                      named));
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
                                             const CellFinder& finder,
                                             std::vector<std::string>& problems) {
  std::map<NamedTexts, RunColumns> runs;
  const auto steps = std::ranges::find(
      used, kStepMeaning, [](const UsedColumn& column) { return column.meaning->word; });
  for (std::size_t row = 1; row < lines.size(); ++row) {
    const NamedTexts values = values_of(lines[row], used, whole, problems);
    const auto blank = std::ranges::find_if(values, [&](const auto& named) {
      return named.second.empty() && !finder.has_value(named.first, "");
    });
    const std::string step = steps == used.end() ? "" : text_at(lines[row], *steps);
    for (const UsedColumn& column : used) {
      const std::string text = text_at(lines[row], column);
      if (!column.meaning->is_metric || text.empty()) {
        continue;
      }
      const int line = lines[row].front().line;
      if (blank != values.end()) {
        problems.push_back(fmt::format("{}:{}: {} is blank; write it in every row that has a value",
                                       whole.path,
                                       line,
                                       blank->first));
        break;
      }
      NamedTexts key = values;
      key.insert(column.values.begin(), column.values.end());
      MetricColumn& metric = runs[key][column.meaning->word];
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
  const std::size_t before = found.problems.size();
  refuse_long_rows(lines, whole.path, found.problems);
  const std::map<NamedTexts, RunColumns> runs =
      divide_rows(lines, used, whole, finder, found.problems);
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
    if (const auto times = columns.find(names::kStepTime);
        times != columns.end() && !times->second.meaning->has_means) {
      lower_distance(times->second.points, distance);
    }
  }
  if (runs.empty() && found.problems.size() == before) {
    found.problems.push_back(whole.path + ": it has no value of these columns");
  } else if (distance > 1.0) {
    found.notes.push_back(
        fmt::format("{} has one row for every {} steps. If a step time is the mean over these "
                    "steps, nothing is lost: map it as ms/it or s/it; if it is the time of one "
                    "step, the steps between are unknown",
                    whole.path,
                    *distance));
  }
}

}  // namespace scalestudy
