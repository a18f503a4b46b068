// Columns of the tables of studies, sessions, cells, trials and what trials left.
#include "harness/store/tables/column_list.h"

namespace scalestudy {

const Table& table_for(const StudyRow*) {
  using Row = StudyRow;
  static const Table kTable = make_table<Row>("study",
                                              {column("name", &Row::name),
                                               column("title", &Row::title),
                                               column("hash", &Row::hash),
                                               column("source_path", &Row::source_path),
                                               local(column("source_text", &Row::source_text)),
                                               column("scaling", &Row::scaling)});
  return kTable;
}

const Table& table_for(const SessionRow*) {
  using Row = SessionRow;
  static const Table kTable = make_table<Row>("session",
                                              {column("uid", &Row::uid),
                                               local(column("study_id", &Row::study_id)),
                                               column("started_at", &Row::started_at),
                                               column("finished_at", &Row::finished_at),
                                               column("ending", &Row::ending),
                                               column("host", &Row::host),
                                               column("tool_version", &Row::tool_version),
                                               column("tool_revision", &Row::tool_revision),
                                               column("study_hash", &Row::study_hash),
                                               column("order_seed", &Row::order_seed),
                                               column("study_text", &Row::study_text)});
  return kTable;
}

const Table& table_for(const EnvironmentRow*) {
  using Row = EnvironmentRow;
  static const Table kTable =
      make_table<Row>("environment", {column("name", &Row::name), column("value", &Row::value)});
  return kTable;
}

const Table& table_for(const CellRow*) {
  using Row = CellRow;
  static const Table kTable = make_table<Row>("cell",
                                              {column("hash", &Row::hash),
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
                                               column("oversubscribed", &Row::oversubscribed)});
  return kTable;
}

const Table& table_for(const CellRow::Parameter*) {
  using Row = CellRow::Parameter;
  static const Table kTable = make_table<Row>("cell_parameter",
                                              {column("name", &Row::name),
                                               column("value", &Row::value),
                                               column("kind", &Row::kind),
                                               column("varied", &Row::varied),
                                               late(column("is_default", &Row::is_default))});
  return kTable;
}

const Table& table_for(const Addition*) {
  using Row = Addition;
  static const Table kTable = make_table<Row>("addition",
                                              {column("cell", &Row::cell),
                                               column("axis", &Row::axis),
                                               column("value", &Row::value),
                                               column("first_block", &Row::first_block),
                                               column("blocks", &Row::blocks),
                                               column("reason", &Row::reason)});
  return kTable;
}

const Table& table_for(const TrialRow*) {
  using Row = TrialRow;
  static const Table kTable =
      make_table<Row>("trial",
                      {local(planned(column("study_id", &Row::study_id))),
                       local(planned(column("cell_id", &Row::cell_id))),
                       planned(column("plan", &Row::plan)),
                       planned(column("block", &Row::block)),
                       planned(column("position", &Row::position)),
                       planned(column("attempt", &Row::attempt)),
                       read(column("state", &Row::state)),
                       read(column("reason", &Row::reason)),
                       local(column("session_id", &Row::session_id)),
                       column("started_at", &Row::started_at),
                       column("wall_s", &Row::wall_s),
                       column("exit_code", &Row::exit_code),
                       column("signal", &Row::signal),
                       column("foreign_load", &Row::foreign_load),
                       planned(column("oversubscribed", &Row::oversubscribed)),
                       column("deaths", &Row::deaths),
                       late(column("disturbance", &Row::disturbance)),
                       late(column("hosts", &Row::hosts)),
                       late(planned(column("part", &Row::part))),
                       late(column("skip_reason", &Row::skip_reason)),
                       late(planned(column("provenance", &Row::provenance))),
                       late(planned(column("has_block", &Row::has_block))),
                       late(planned(column("has_order", &Row::has_order))),
                       late(planned(column("source", &Row::source))),
                       late(planned(column("source_hash", &Row::source_hash))),
                       late(read(column("rules_hash", &Row::rules_hash))),
                       late(read(column("steps_share", &Row::steps_share))),
                       late(read(column("arrival_step_s", &Row::arrival_step_s)))});
  return kTable;
}

const Table& table_for(const TelemetryRow*) {
  using Row = TelemetryRow;
  static const Table kTable = make_table<Row>(
      "telemetry",
      {column("name", &Row::name), column("value", &Row::value), column("unit", &Row::unit)});
  return kTable;
}

const Table& table_for(const AnnotationRow*) {
  using Row = AnnotationRow;
  static const Table kTable = make_table<Row>("annotation",
                                              {local(column("trial_id", &Row::trial_id)),
                                               column("at", &Row::at),
                                               column("kind", &Row::kind),
                                               column("text", &Row::text)});
  return kTable;
}

const Table& table_for(const LogRow*) {
  using Row = LogRow;
  static const Table kTable = make_table<Row>(
      "log",
      {column("stream", &Row::stream), column("path", &Row::path), column("text", &Row::text)});
  return kTable;
}

}  // namespace scalestudy
