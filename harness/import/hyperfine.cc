// hyperfine --export-json: one result a command, times in seconds.
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/audit/quantity.h"
#include "harness/base/text.h"
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

}  // namespace

void read_hyperfine(const std::string& text, Reading& reading) {
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
  audit::Table& table = reading.dataset.tables.emplace_back();
  table.name = "results";
  table.where = "results";
  table.experiment = table.name;
  const std::set<std::string> parameters = parameter_names(results->items);
  add_columns(parameters, table);
  for (const JsonValue& result : results->items) {
    const std::vector<PlacedText> fields = read_result(result, parameters, reading.problems);
    std::vector<audit::Cell>& row = table.rows.emplace_back();
    for (std::size_t c = 0; c < fields.size() && reading.problems.empty(); ++c) {
      row.push_back(read_tool_cell(table.columns[c], fields[c], reading.path, reading.problems));
    }
    note_failures(result, reading.notes);
  }
}

}  // namespace scalestudy
