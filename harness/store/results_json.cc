#include "harness/store/results_json.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "harness/base/build_info.h"
#include "harness/text/json.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

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
constexpr std::string_view kMaker = "\"made_by\": ";  // version of scalestudy, on its own line

// Of one store alone, or said once.
constexpr auto kLeftOut = std::to_array<std::string_view>({"study", "result"});

// Columns whose text is JSON.
bool is_json(const std::string& column) {
  return column == "axes" || column == "pieces" || column == "open_values";
}

}  // namespace

JsonText field_json(const Field& field, const std::string& column) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) {
    return *integer;
  }
  if (const auto* real = std::get_if<double>(&field)) {
    return *real;
  }
  if (const auto* text = std::get_if<std::string>(&field)) {
    return is_json(column) ? JsonText::parse(*text).value_or(JsonText()) : JsonText(*text);
  }
  return {};
}

namespace {

using Texts = std::map<std::string, std::string>;

// The JSON of the axes of each cell that has a result, by its hash. Read once a cell: many rows of
// several views are of one.
Texts axes_of(const Store& store, const std::string& study) {
  Texts axes;
  for (const std::string view : {"metrics", "comparisons"}) {
    const QueryResult result =
        store.query("SELECT cell, axes FROM " + view + " WHERE study = ?1 GROUP BY cell", {study});
    for (const std::vector<Field>& row : result.rows) {
      axes.emplace(std::get<std::string>(row[0]), field_json(row[1], "axes").dump());
    }
  }
  return axes;
}

// The view's rows as JSON objects, each on one line, so that two texts can be compared. Axes are
// the last column where there are any.
std::vector<std::string> rows_of(const Store& store,
                                 const std::string& view,
                                 const std::string& study,
                                 const Texts& axes) {
  std::vector<std::string> columns;
  const QueryResult all = store.query("SELECT name FROM pragma_table_info(?)", {view});
  for (const std::vector<Field>& row : all.rows) {
    const auto& name = std::get<std::string>(row.at(0));
    if (std::find(kLeftOut.begin(), kLeftOut.end(), name) == kLeftOut.end()) {
      columns.push_back(name);
    }
  }
  std::size_t cell = 0;
  const bool has_axes = columns.back() == "axes";
  if (has_axes) {
    columns.pop_back();
    cell = static_cast<std::size_t>(std::find(columns.begin(), columns.end(), "cell") -
                                    columns.begin());
  }
  const std::string list = join(columns, ", ");
  std::vector<std::string> order = columns;  // which sessions these are decides last
  std::stable_partition(order.begin(), order.end(), [](const std::string& column) {
    return column != "session" && column != "uid";
  });
  // A run that found nothing left to do is no session of the results, as in the report.
  const std::string where =
      view != "sessions" ? ""
                         : " AND (trials > 0 OR NOT EXISTS (SELECT 1 FROM sessions WHERE study = "
                           "?1 AND trials > 0))";
  const QueryResult result = store.query("SELECT " + list + " FROM " + view + " WHERE study = ?1" +
                                             where + " ORDER BY " + join(order, ", "),
                                         {study});
  std::vector<std::string> rows;
  rows.reserve(result.rows.size());
  for (const std::vector<Field>& row : result.rows) {
    std::string& text = rows.emplace_back();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text += (c == 0 ? "{\"" : ",\"") + columns[c] + "\":";
      text += field_json(row[c], columns[c]).dump();
    }
    text += has_axes ? ",\"axes\":" + axes.at(std::get<std::string>(row.at(cell))) + "}" : "}";
  }
  return rows;
}

}  // namespace

std::string results_json(const Store& store, const std::string& study) {
  const QueryResult head = store.query(
      "SELECT name, title, hash, scaling, analysis_version FROM study WHERE name = ?", {study});
  JsonText of_study;
  for (std::size_t c = 0; c < head.columns.size(); ++c) {
    of_study[head.columns[c]] = field_json(head.rows.at(0).at(c), head.columns[c]);
  }
  std::vector<std::string> members{"\"format\": \"scalestudy-results\"",
                                   "\"version\": 1",
                                   std::string(kMaker) + JsonText(build_info().version).dump(),
                                   "\"study\": " + of_study.dump()};
  const Texts axes = axes_of(store, study);
  for (const std::string_view view : kViewsOfResults) {
    const std::vector<std::string> rows = rows_of(store, std::string(view), study, axes);
    members.push_back("\"" + std::string(view) +
                      "\": " + (rows.empty() ? "[]" : "[\n" + join(rows, ",\n") + "\n]"));
  }
  return "{\n" + join(members, ",\n") + "\n}\n";
}

std::string without_maker(const std::string& json) {
  const std::size_t at = json.find("\n" + std::string(kMaker));
  const std::size_t end = at == std::string::npos ? at : json.find('\n', at + 1);
  return end == std::string::npos ? json : json.substr(0, at) + json.substr(end);
}

}  // namespace scalestudy
