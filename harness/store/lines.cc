#include "harness/store/lines.h"

#include <limits>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/home.h"
#include "harness/store/tables/columns.h"
#include "harness/store/tables/summary.h"
#include "harness/study/parameters/told_variables.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

using Json = nlohmann::json;

constexpr const char* kFormat = "scalestudy export";
constexpr int kVersion = 1;

Json json_of(const ColumnValue& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return nullptr;
        } else {
          return held;
        }
      },
      value);
}

// What is found in place of a value, short.
std::string found_text(const Json& json) {
  if (json.is_structured()) {  // of any depth
    return json.is_array() ? "a list" : "an object";
  }
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::string shown(first_characters(text, 40));
  return shown.size() < text.size() ? shown + "..." : shown;
}

// What is required in place of `json`; "" if a Value can hold it exactly.
template <typename Value>
std::string wanted_for(const Json& json) {
  if constexpr (std::is_same_v<Value, std::string>) {
    return json.is_string() ? "" : "a text";
  } else if constexpr (std::is_same_v<Value, bool>) {
    return json.is_boolean() ? "" : "true or false";
  } else if constexpr (std::is_integral_v<Value>) {
    using Range = std::numeric_limits<Value>;
    const bool is_held =
        json.is_number_unsigned()
            ? std::in_range<Value>(json.get<std::uint64_t>())
            : json.is_number_integer() && std::in_range<Value>(json.get<std::int64_t>());
    return is_held ? "" : fmt::format("an integer from {} to {}", Range::min(), Range::max());
  } else {
    return json.is_number() ? "" : "a number";
  }
}

// The member `name` of an object. Throws std::exception if it is absent or of another kind.
template <typename Value>
void read_member(const Json& object, const std::string& name, Value& value) {
  const Json& json = object.at(name);
  if (const std::string wanted = wanted_for<Value>(json); !wanted.empty()) {
    throw std::out_of_range(
        fmt::format("{} is {}; {} is required", name, found_text(json), wanted));
  }
  json.get_to(value);
}

// Throws std::exception for what the column cannot hold.
void read_column(const Json& object, const Column& column, void* row) {
  const FieldType& type = *column.type;
  const Json& json = object.at(column.name);
  if (type.is_optional && json.is_null()) {
    column.set(row, {});
    return;
  }
  ColumnValue value = type.zero;
  std::visit(
      [&](auto& held) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          read_member(object, column.name, held);
        }
      },
      value);
  if (!column.set(row, std::move(value))) {
    throw std::out_of_range(type.words == nullptr
                                ? fmt::format("{} is more than {} can be", json.dump(), column.name)
                                : fmt::format("'{}' is not one of {}",
                                              json.get<std::string>(),
                                              join(type.words(), ", ")));
  }
}

// The columns that a row has in JSON: those of an export, or all.
enum class Columns { kExported, kAll };

bool has_column(const Column& column, Columns columns) {
  return columns == Columns::kAll || !column.is_local;
}

Json row_json(const Table& table, const void* row, Columns columns) {
  Json json = Json::object();
  for (const Column& column : table.columns) {
    if (has_column(column, columns)) {
      json[column.name] = json_of(column.value(row));
    }
  }
  return json;
}

template <typename Row>
Json row_json(const Row& row, Columns columns = Columns::kExported) {
  return row_json(table_of<Row>(), &row, columns);
}

void read_row(const Json& json, const Table& table, void* row, Columns columns) {
  for (const Column& column : table.columns) {
    const bool is_default = column.is_late && !json.contains(column.name);
    if (has_column(column, columns) && !is_default) {
      read_column(json, column, row);
    }
  }
}

template <typename Row>
Row row_of(const Json& json, Columns columns = Columns::kExported) {
  Row row;
  read_row(json, table_of<Row>(), &row, columns);
  return row;
}

template <typename Row>
Json rows_json(const std::vector<Row>& rows, Columns columns = Columns::kExported) {
  Json json = Json::array();
  for (const Row& row : rows) {
    json.push_back(row_json(row, columns));
  }
  return json;
}

template <typename Row>
std::vector<Row> rows_of(const Json& json, Columns columns = Columns::kExported) {
  std::vector<Row> rows;
  for (const Json& row : json) {
    rows.push_back(row_of<Row>(row, columns));
  }
  return rows;
}

// All of a series but its values.
Json series_json(const SeriesRow& row) {
  Json json;
  json["metric"] = row.metric;
  json["unit"] = row.unit;
  json["rank"] = row.rank ? Json(*row.rank) : Json();
  json["warmup_n"] = row.warmup_n;
  return json;
}

SeriesRow series_of(const Json& json) {
  SeriesRow row;
  read_member(json, "metric", row.metric);
  read_member(json, "unit", row.unit);
  if (!json.at("rank").is_null()) {
    read_member(json, "rank", row.rank.emplace());
  }
  read_member(json, "warmup_n", row.warmup_n);
  return row;
}

// Why a trial was skipped, for exports older than `skip_reason`: their sentences say it, as in
// migration 27. Absent for a sentence that says more.
std::optional<SkipReason> skip_reason_of(const TrialRow& trial) {
  if (trial.state != TrialState::kSkipped) {
    return std::nullopt;
  }
  return trial.reason == "no longer in the study" ? std::optional(SkipReason::kNotInStudy)
         : trial.reason == "precision reached"    ? std::optional(SkipReason::kPrecise)
         : trial.reason == "comparison decided"   ? std::optional(SkipReason::kDecided)
                                                  : std::nullopt;
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string format_export_index(const ExportIndex& index) {
  Json json;
  json["format"] = kFormat;
  json["version"] = kVersion;
  json["studies"] = index.studies;
  json["lines"] = index.lines;
  return json.dump(2) + "\n";
}

ExportIndex parse_export_index(const std::string& text) {
  const Json json = Json::parse(text);
  if (json.at("format") != kFormat) {
    throw std::out_of_range(fmt::format("no \"{}\"", kFormat));
  }
  if (const int version = json.at("version").get<int>(); version != kVersion) {
    throw std::out_of_range(
        fmt::format("version {}, this scalestudy reads version {}", version, kVersion));
  }
  ExportIndex index{.studies = json.at("studies").get<std::vector<std::string>>(), .lines = {}};
  if (json.contains("lines")) {
    json.at("lines").get_to(index.lines);
  }
  return index;
}

std::string format_study(const StudyContent& content) {
  Json json = row_json(content.study);
  json["source_path"] = without_home(content.study.source_path);
  json["looks"] = content.looks;
  json["additions"] = rows_json(content.additions);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

StudyContent parse_study_row(const std::string& text) {
  const Json json = Json::parse(text);
  StudyContent content;
  content.study = row_of<StudyRow>(json);
  json.at("looks").get_to(content.looks);
  if (json.contains("additions")) {  // an export of before they came has none
    content.additions = rows_of<Addition>(json.at("additions"));
  }
  return content;
}

std::string format_cell(const CellRow& cell) {
  Json json = row_json(cell);
  json["parameters"] = rows_json(cell.parameters);
  return line_of(json);
}

CellRow parse_cell(const std::string& line) {
  const Json json = Json::parse(line);
  auto cell = row_of<CellRow>(json);
  cell.parameters = rows_of<CellRow::Parameter>(json.at("parameters"));
  return cell;
}

std::string format_session(const SessionContent& session) {
  Json json = row_json(session.row);
  json["id"] = session.row.id;
  json["environment"] = Json::object();
  for (const EnvironmentRow& fact : session.environment) {
    json["environment"][fact.name] = fact.value;
  }
  return line_of(json);
}

SessionContent parse_session(const std::string& line) {
  const Json json = Json::parse(line);
  SessionContent session{.row = row_of<SessionRow>(json), .environment = {}};
  read_member(json, "id", session.row.id);
  for (const auto& [name, value] : json.at("environment").items()) {
    if (is_told_fact(name)) {
      session.environment.push_back({.name = name, .value = value.get<std::string>()});
    }
  }
  return session;
}

// A log's file stays where it was written.
std::string format_trial(const TrialContent& trial) {
  const TrialRecord& record = trial.record;
  Json json = row_json(record.trial);
  json["id"] = record.trial.id;
  json["cell"] = trial.cell;
  json["session"] = trial.session;
  json["telemetry"] = rows_json(record.telemetry);
  json["annotations"] = rows_json(trial.annotations);
  json["log"] = Json::array();
  for (const LogRow& log : record.logs) {
    Json row = row_json(log);
    row.erase("path");
    json["log"].push_back(std::move(row));
  }
  return line_of(json);
}

TrialContent parse_trial(const std::string& line) {
  const Json json = Json::parse(line);
  TrialContent trial;
  trial.record.trial = row_of<TrialRow>(json);
  if (!json.contains("skip_reason")) {
    trial.record.trial.skip_reason = skip_reason_of(trial.record.trial);
  }
  read_member(json, "id", trial.record.trial.id);
  read_member(json, "cell", trial.cell);
  read_member(json, "session", trial.session);
  trial.record.telemetry = rows_of<TelemetryRow>(json.at("telemetry"));
  trial.annotations = rows_of<AnnotationRow>(json.at("annotations"));
  for (const Json& log : json.at("log")) {
    Json row = log;
    row["path"] = "";
    trial.record.logs.push_back(row_of<LogRow>(row));
  }
  return trial;
}

std::string format_series(std::int64_t trial_id, const SeriesRow& row) {
  Json json = series_json(row);
  json["trial"] = trial_id;
  json["values"] = row.values;  // one that is missing, NaN, becomes null
  return line_of(json);
}

std::pair<std::int64_t, SeriesRow> parse_series(const std::string& line) {
  const Json json = Json::parse(line);
  SeriesRow row = series_of(json);
  for (const Json& value : json.at("values")) {
    row.values.push_back(value.is_null() ? std::numeric_limits<double>::quiet_NaN()
                                         : value.get<double>());
  }
  if (row.warmup_n < 0 || row.warmup_n > std::ssize(row.values)) {
    throw std::out_of_range(
        fmt::format("warmup_n is {}, of {} values", row.warmup_n, row.values.size()));
  }
  if (!has_all_measured(row.values, row.warmup_n)) {
    throw std::out_of_range("a measured value is missing");
  }
  std::int64_t trial = 0;
  read_member(json, "trial", trial);
  return {trial, row};
}

std::string format_projection(const ProjectionContent& projection) {
  Json json = row_json(projection.row);
  json["trials"] = projection.trials;
  return line_of(json);
}

ProjectionContent parse_projection(const std::string& line) {
  const Json json = Json::parse(line);
  ProjectionContent projection{.row = row_of<ProjectionRow>(json), .trials = {}};
  json.at("trials").get_to(projection.trials);
  return projection;
}

std::string format_publication(const PublicationRow& publication) {
  Json json = row_json(publication);
  json["path"] = without_home(publication.path);
  json["figures"] = rows_json(publication.figures);
  return line_of(json);
}

PublicationRow parse_publication(const std::string& line) {
  const Json json = Json::parse(line);
  auto publication = row_of<PublicationRow>(json);
  publication.figures = rows_of<PublishedFigureRow>(json.at("figures"));
  return publication;
}

std::string format_unstored(const TrialRecord& record, bool retry) {
  Json json;
  json["retry"] = retry;
  json["id"] = record.trial.id;
  json["trial"] = row_json(record.trial, Columns::kAll);
  json["series"] = Json::array();
  for (const SeriesRow& row : record.series) {
    Json series = series_json(row);
    series["values_json"] = format_values(row.values);
    json["series"].push_back(std::move(series));
  }
  json["telemetry"] = rows_json(record.telemetry, Columns::kAll);
  json["log"] = rows_json(record.logs, Columns::kAll);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

UnstoredTrial parse_unstored(const std::string& text) {
  const Json json = Json::parse(text);
  UnstoredTrial trial;
  read_member(json, "retry", trial.retry);
  TrialRecord& record = trial.record;
  record.trial = row_of<TrialRow>(json.at("trial"), Columns::kAll);
  read_member(json, "id", record.trial.id);
  for (const Json& series : json.value("series", Json::array())) {
    SeriesRow& row = record.series.emplace_back(series_of(series));
    row.values = parse_values(series.at("values_json").get<std::string>()).value();
  }
  record.telemetry = rows_of<TelemetryRow>(json.value("telemetry", Json::array()), Columns::kAll);
  record.logs = rows_of<LogRow>(json.value("log", Json::array()), Columns::kAll);
  return trial;
}

}  // namespace scalestudy
