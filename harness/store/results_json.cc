#include "harness/store/results_json.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "harness/text/text.h"

namespace scalestudy {
namespace {

using nlohmann::ordered_json;

constexpr auto kViewsOfResults = std::to_array<std::string_view>({"accounting",
                                                                  "results",
                                                                  "metrics",
                                                                  "comparisons",
                                                                  "thresholds",
                                                                  "laws",
                                                                  "law_choices",
                                                                  "volumes",
                                                                  "projections",
                                                                  "costs",
                                                                  "targets",
                                                                  "search",
                                                                  "threats",
                                                                  "sessions"});
// Of one store alone, or said once.
constexpr auto kLeftOut = std::to_array<std::string_view>({"study", "result", "session", "uid"});

ordered_json value_of(const Field& field, const std::string& column) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) {
    return *integer;
  }
  if (const auto* real = std::get_if<double>(&field)) {
    return *real;
  }
  if (const auto* text = std::get_if<std::string>(&field)) {
    return column == "axes" ? ordered_json::parse(*text, nullptr, false) : ordered_json(*text);
  }
  return nullptr;
}

ordered_json rows_of(const Store& store, const std::string& view, const std::string& study) {
  std::vector<std::string> columns;
  const QueryResult all = store.query("SELECT name FROM pragma_table_info(?)", {view});
  for (const std::vector<Field>& row : all.rows) {
    const auto& name = std::get<std::string>(row.at(0));
    if (std::find(kLeftOut.begin(), kLeftOut.end(), name) == kLeftOut.end()) {
      columns.push_back(name);
    }
  }
  const std::string list = join(columns, ", ");
  const QueryResult result = store.query(
      "SELECT " + list + " FROM " + view + " WHERE study = ? ORDER BY " + list, {study});
  ordered_json rows = ordered_json::array();
  for (const std::vector<Field>& row : result.rows) {
    ordered_json object = ordered_json::object();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      object[columns[c]] = value_of(row[c], columns[c]);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

}  // namespace

std::string results_json(const Store& store, const std::string& study) {
  const QueryResult head = store.query(
      "SELECT name, title, hash, scaling, analysis_version FROM study WHERE name = ?", {study});
  ordered_json document;
  document["format"] = "scalestudy-results";
  document["version"] = 1;
  for (std::size_t c = 0; c < head.columns.size(); ++c) {
    document["study"][head.columns[c]] = value_of(head.rows.at(0).at(c), head.columns[c]);
  }
  for (const std::string_view view : kViewsOfResults) {
    document[std::string(view)] = rows_of(store, std::string(view), study);
  }
  // A row a line, so that two of them can be compared.
  const auto text_of = [](const ordered_json& value) {
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  };
  std::vector<std::string> members;
  for (const auto& [key, value] : document.items()) {
    std::string text = text_of(value);
    if (value.is_array() && !value.empty()) {
      std::vector<std::string> rows;
      for (const ordered_json& row : value) {
        rows.push_back(text_of(row));
      }
      text = "[\n" + join(rows, ",\n") + "\n]";
    }
    members.push_back("\"" + key + "\": " + text);
  }
  return "{\n" + join(members, ",\n") + "\n}\n";
}

}  // namespace scalestudy
