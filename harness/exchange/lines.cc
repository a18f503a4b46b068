#include "harness/exchange/lines.h"

#include <set>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "harness/base/home.h"
#include "harness/store/tables/projection_tables.h"
#include "harness/store/tables/published_tables.h"
#include "harness/store/tables/trial_tables.h"
#include "harness/study/parameters/told_variables.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

using Json = nlohmann::json;

// Columns that are a store's own, stand elsewhere in the export, or follow from what is in it.
const std::set<std::string>& left_out() {
  static const std::set<std::string> names{"study_id",
                                           "cell_id",
                                           "session_id",
                                           "trial_id",
                                           "source_text",
                                           "trials",
                                           "measured",
                                           "error"};
  return names;
}

template <typename T>
Json to_json(const T& value) {
  if constexpr (Worded<T>) {
    return to_word(value);
  } else {
    return value;
  }
}

template <typename T>
Json to_json(const std::optional<T>& value) {
  return value ? to_json(*value) : Json();
}

// Throws std::exception for what is no T.
template <typename T>
void from_json(const Json& json, T& value) {
  if constexpr (Worded<T>) {
    const auto text = json.get<std::string>();
    const std::optional<T> word = from_word<T>(text);
    if (!word) {
      throw std::out_of_range(fmt::format("'{}' is none of {}", text, join(words_of<T>(), ", ")));
    }
    value = *word;
  } else {
    json.get_to(value);
  }
}

template <typename T>
void from_json(const Json& json, std::optional<T>& value) {
  if (!json.is_null()) {
    from_json(json, value.emplace());
  }
}

template <typename Row>
Json row_json(const Row& row) {
  Json json = Json::object();
  for_each_column<Row>([&](const auto& column) {
    if (!left_out().contains(column.name)) {
      json[column.name] = to_json(row.*column.field);
    }
  });
  return json;
}

// Columns that an export of before they came lacks; what they say there is their default.
bool came_later(std::string_view column) {
  return column == "disturbance" || column == "hosts" || column == "part" ||
         column == "skip_reason";
}

template <typename Row>
Row row_of(const Json& json) {
  Row row;
  for_each_column<Row>([&](const auto& column) {
    const bool is_absent = came_later(column.name) && !json.contains(column.name);
    if (!left_out().contains(column.name) && !is_absent) {
      from_json(json.at(column.name), row.*column.field);
    }
  });
  return row;
}

template <typename Row>
Json rows_json(const std::vector<Row>& rows) {
  Json json = Json::array();
  for (const Row& row : rows) {
    json.push_back(row_json(row));
  }
  return json;
}

template <typename Row>
std::vector<Row> rows_of(const Json& json) {
  std::vector<Row> rows;
  for (const Json& row : json) {
    rows.push_back(row_of<Row>(row));
  }
  return rows;
}

std::string line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

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
  CellRow cell = row_of<CellRow>(json);
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
  json.at("id").get_to(session.row.id);
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
    json["log"].push_back({{"stream", to_word(log.stream)}, {"text", log.text}});
  }
  return line_of(json);
}

TrialContent parse_trial(const std::string& line) {
  const Json json = Json::parse(line);
  TrialContent trial;
  trial.record.trial = row_of<TrialRow>(json);
  json.at("id").get_to(trial.record.trial.id);
  json.at("cell").get_to(trial.cell);
  json.at("session").get_to(trial.session);
  trial.record.telemetry = rows_of<TelemetryRow>(json.at("telemetry"));
  trial.annotations = rows_of<AnnotationRow>(json.at("annotations"));
  for (const Json& log : json.at("log")) {
    LogRow& row = trial.record.logs.emplace_back();
    from_json(log.at("stream"), row.stream);
    log.at("text").get_to(row.text);
  }
  return trial;
}

std::string format_series(std::int64_t trial_id, const SeriesRow& row) {
  return line_of({{"trial", trial_id},
                  {"metric", row.metric},
                  {"unit", row.unit},
                  {"rank", to_json(row.rank)},
                  {"warmup_n", row.warmup_n},
                  {"values", row.values}});
}

std::pair<std::int64_t, SeriesRow> parse_series(const std::string& line) {
  const Json json = Json::parse(line);
  SeriesRow row;
  json.at("metric").get_to(row.metric);
  json.at("unit").get_to(row.unit);
  from_json(json.at("rank"), row.rank);
  json.at("warmup_n").get_to(row.warmup_n);
  json.at("values").get_to(row.values);
  if (row.warmup_n < 0 || row.warmup_n > std::ssize(row.values)) {
    throw std::out_of_range(
        fmt::format("warmup_n is {}, of {} values", row.warmup_n, row.values.size()));
  }
  return {json.at("trial").get<std::int64_t>(), row};
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
  PublicationRow publication = row_of<PublicationRow>(json);
  publication.figures = rows_of<PublishedFigureRow>(json.at("figures"));
  return publication;
}

}  // namespace scalestudy
