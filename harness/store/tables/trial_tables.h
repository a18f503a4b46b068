// Columns of the tables of studies, sessions, cells, trials and what trials left.
#pragma once

#include "harness/store/rows/trial_rows.h"
#include "harness/store/tables/columns.h"
#include "harness/study/declared/addition.h"

namespace scalestudy {

template <>
struct Table<StudyRow> {
  using Row = StudyRow;
  static constexpr const char* name = "study";
  static constexpr auto columns = std::tuple(column("name", &Row::name),
                                             column("title", &Row::title),
                                             column("hash", &Row::hash),
                                             column("source_path", &Row::source_path),
                                             column("source_text", &Row::source_text),
                                             column("scaling", &Row::scaling));
};

template <>
struct Table<SessionRow> {
  using Row = SessionRow;
  static constexpr const char* name = "session";
  static constexpr auto columns = std::tuple(column("uid", &Row::uid),
                                             column("study_id", &Row::study_id),
                                             column("started_at", &Row::started_at),
                                             column("finished_at", &Row::finished_at),
                                             column("ending", &Row::ending),
                                             column("host", &Row::host),
                                             column("tool_version", &Row::tool_version),
                                             column("tool_revision", &Row::tool_revision),
                                             column("study_hash", &Row::study_hash),
                                             column("order_seed", &Row::order_seed),
                                             column("study_text", &Row::study_text));
};

template <>
struct Table<EnvironmentRow> {
  using Row = EnvironmentRow;
  static constexpr const char* name = "environment";
  static constexpr auto columns =
      std::tuple(column("name", &Row::name), column("value", &Row::value));
};

template <>
struct Table<CellRow> {
  using Row = CellRow;
  static constexpr const char* name = "cell";
  static constexpr auto columns = std::tuple(column("hash", &Row::hash),
                                             column("label", &Row::label),
                                             column("role", &Row::role),
                                             column("devices", &Row::devices),
                                             column("nodes", &Row::nodes),
                                             column("batch_global", &Row::batch_global),
                                             column("batch_per_device", &Row::batch_per_device),
                                             column("control_of", &Row::control_of),
                                             column("baseline", &Row::baseline),
                                             column("baseline_problem", &Row::baseline_problem),
                                             column("excluded_reason", &Row::excluded_reason),
                                             column("oversubscribed", &Row::oversubscribed));
};

template <>
struct Table<CellRow::Parameter> {
  using Row = CellRow::Parameter;
  static constexpr const char* name = "cell_parameter";
  static constexpr auto columns = std::tuple(column("name", &Row::name),
                                             column("value", &Row::value),
                                             column("kind", &Row::kind),
                                             column("varied", &Row::varied));
};

template <>
struct Table<Addition> {
  using Row = Addition;
  static constexpr const char* name = "addition";
  static constexpr auto columns = std::tuple(column("cell", &Row::cell),
                                             column("axis", &Row::axis),
                                             column("value", &Row::value),
                                             column("first_block", &Row::first_block),
                                             column("blocks", &Row::blocks),
                                             column("reason", &Row::reason));
};

template <>
struct Table<TrialRow> {
  using Row = TrialRow;
  static constexpr const char* name = "trial";
  static constexpr auto columns = std::tuple(column("study_id", &Row::study_id),
                                             column("cell_id", &Row::cell_id),
                                             column("plan", &Row::plan),
                                             column("block", &Row::block),
                                             column("position", &Row::position),
                                             column("attempt", &Row::attempt),
                                             column("state", &Row::state),
                                             column("reason", &Row::reason),
                                             column("session_id", &Row::session_id),
                                             column("started_at", &Row::started_at),
                                             column("wall_s", &Row::wall_s),
                                             column("exit_code", &Row::exit_code),
                                             column("signal", &Row::signal),
                                             column("foreign_load", &Row::foreign_load),
                                             column("oversubscribed", &Row::oversubscribed),
                                             column("deaths", &Row::deaths),
                                             column("disturbance", &Row::disturbance),
                                             column("hosts", &Row::hosts),
                                             column("part", &Row::part),
                                             column("skip_reason", &Row::skip_reason));
};

template <>
struct Table<TelemetryRow> {
  using Row = TelemetryRow;
  static constexpr const char* name = "telemetry";
  static constexpr auto columns = std::tuple(
      column("name", &Row::name), column("value", &Row::value), column("unit", &Row::unit));
};

template <>
struct Table<AnnotationRow> {
  using Row = AnnotationRow;
  static constexpr const char* name = "annotation";
  static constexpr auto columns = std::tuple(column("trial_id", &Row::trial_id),
                                             column("at", &Row::at),
                                             column("kind", &Row::kind),
                                             column("text", &Row::text));
};

template <>
struct Table<LogRow> {
  using Row = LogRow;
  static constexpr const char* name = "log";
  static constexpr auto columns = std::tuple(
      column("stream", &Row::stream), column("path", &Row::path), column("text", &Row::text));
};

}  // namespace scalestudy
