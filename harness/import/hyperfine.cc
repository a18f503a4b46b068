// hyperfine --export-json: one result a command, times in seconds.
#include <array>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "harness/audit/dataset/csv_text.h"
#include "harness/audit/figure/quantity.h"
#include "harness/import/json_members.h"
#include "harness/import/readers.h"
#include "harness/import/tool_table.h"

namespace scalestudy {
namespace {

using Kind = JsonValue::Kind;

struct Time {
  const char* member;
  const char* statistic;
  const char* clock;
};

constexpr std::array<Time, 7> kTimes{{{"mean", "mean", "wall"},
                                      {"stddev", "sd", "wall"},
                                      {"median", "median", "wall"},
                                      {"min", "min", "wall"},
                                      {"max", "max", "wall"},
                                      {"user", "mean", "user"},
                                      {"system", "mean", "system"}}};

// A parameter whose name is a setting of the catalogue (devices, nodes ...) is that one, any other
// a label.
audit::Column parameter_column(const std::string& name) {
  const audit::QuantityInfo* info = audit::find_quantity(name);
  const bool is_setting = info != nullptr && info->is_condition && info->is_exact;
  return make_column(name, is_setting ? name : "label");
}

void add_columns(const std::set<std::string>& parameters, audit::Table& table) {
  table.columns.push_back(make_column("command", "label"));
  for (const std::string& name : parameters) {
    table.columns.push_back(parameter_column(name));
  }
  for (const Time& time : kTimes) {
    table.columns.push_back(make_column(
        time.member, "time", "s", {{"statistic", time.statistic}, {"clock", time.clock}}));
    table.columns.back().declared.is_exact = true;
  }
}

std::set<std::string> parameter_names(const std::vector<JsonValue>& results) {
  std::set<std::string> names;
  for (const JsonValue& result : results) {
    if (const JsonValue* parameters = result.find("parameters")) {
      names.insert(parameters->names.begin(), parameters->names.end());
    }
  }
  return names;
}

std::vector<PlacedText> read_result(const JsonValue& result,
                                    const std::set<std::string>& parameters,
                                    std::vector<Problem>& problems) {
  JsonMembers members(result, problems);
  std::vector<PlacedText> fields{members.text("command")};
  const JsonValue* values = result.find("parameters");
  for (const std::string& name : parameters) {
    const JsonValue* value = values == nullptr ? nullptr : values->find(name);
    fields.push_back(value == nullptr ? PlacedText{} : value->at);
  }
  for (const Time& time : kTimes) {
    // One run has no standard deviation.
    const bool may_be_absent = std::string_view(time.member) == "stddev";
    fields.push_back(may_be_absent ? members.optional_number(time.member)
                                   : members.number(time.member));
  }
  return fields;
}

// Commands that failed were timed all the same (--ignore-failure).
void note_failures(const JsonValue& result, std::vector<std::string>& notes) {
  const JsonValue* codes = result.find("exit_codes");
  if (codes == nullptr) {
    return;
  }
  std::size_t failed = 0;
  for (const JsonValue& code : codes->items) {
    failed += code.at.text == "0" ? 0U : 1U;
  }
  if (failed > 0) {
    notes.push_back(fmt::format("line {}: {} of {} runs of the command failed",
                                result.at.line,
                                failed,
                                codes->items.size()));
  }
}

audit::Table& add_results(const std::set<std::string>& parameters, ImportReading& reading) {
  audit::Table& table = reading.dataset.tables.emplace_back();
  table.name = "results";
  table.where = "results";
  table.experiment = table.name;
  add_columns(parameters, table);
  return table;
}

void add_row(const std::vector<PlacedText>& fields, audit::Table& table, ImportReading& reading) {
  std::vector<audit::Cell>& row = table.rows.emplace_back();
  for (std::size_t c = 0; c < fields.size() && reading.problems.empty(); ++c) {
    const audit::Column& column = table.columns[c];
    row.push_back(read_tool_cell(column, fields[c], reading.path, reading.problems));
    // hyperfine subtracts the start of its shell, which may be all of a run's time.
    if (column.name == "mean" && column.declared.quantity == "time" &&
        row.back().figure.value == 0.0) {
      reading.problems.push_back({fields[c].line,
                                  fields[c].column,
                                  "mean: no command takes 0 s; time it with hyperfine -N, which "
                                  "subtracts no start of a shell"});
    }
  }
}

}  // namespace

void read_hyperfine_csv(const std::string& text, ImportReading& reading) {
  constexpr std::string_view prefix = "parameter_";
  const std::vector<std::vector<audit::CsvField>> lines = audit::parse_csv(text, reading.problems);
  if (reading.problems.empty() && lines.size() < 2) {
    reading.problems.push_back({1, 1, "no command was timed: the table has no rows"});
  }
  if (!reading.problems.empty()) {
    return;
  }
  std::map<std::string, std::size_t> columns;
  std::set<std::string> parameters;
  for (std::size_t c = 0; c < lines.front().size(); ++c) {
    const std::string& name = lines.front()[c].text;
    const bool is_parameter = name.starts_with(prefix);
    columns[name] = c;  // a parameter may be called as a statistic is
    if (is_parameter) {
      parameters.insert(name.substr(prefix.size()));
    }
  }
  audit::Table& table = add_results(parameters, reading);
  std::vector<std::size_t> places;  // of the table's columns
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool is_parameter = c > 0 && c <= parameters.size();  // as add_columns has them
    const std::string name = std::string(is_parameter ? prefix : "") + table.columns[c].name;
    const auto found = columns.find(name);
    if (found == columns.end()) {
      reading.problems.push_back(
          {1, 1, fmt::format("no column {}, which hyperfine --export-csv writes", name)});
      return;
    }
    places.push_back(found->second);
  }
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].size() != lines.front().size()) {
      reading.problems.push_back(
          {lines[i].front().line,
           1,
           fmt::format(
               "this row has {} fields and the head {}", lines[i].size(), lines.front().size())});
      return;
    }
    std::vector<PlacedText> fields;
    for (const std::size_t place : places) {
      const audit::CsvField& field = lines[i].at(place);
      fields.push_back({field.text, field.line, field.column});
    }
    add_row(fields, table, reading);
  }
}

void read_hyperfine(const std::string& text, ImportReading& reading) {
  const std::optional<JsonValue> root = parse_json(text, reading.problems);
  if (!root) {
    return;
  }
  JsonMembers members(*root, reading.problems);
  const JsonValue* results = members.require("results", Kind::kList);
  if (results == nullptr) {
    return;
  }
  if (results->items.empty()) {
    members.fail(*results, "\"results\" is empty: no command was timed");
    return;
  }
  const std::set<std::string> parameters = parameter_names(results->items);
  audit::Table& table = add_results(parameters, reading);
  for (const JsonValue& result : results->items) {
    add_row(read_result(result, parameters, reading.problems), table, reading);
    note_failures(result, reading.notes);
  }
}

}  // namespace scalestudy
