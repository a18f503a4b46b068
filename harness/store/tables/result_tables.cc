// Columns of the tables of results and of published figures.
#include "harness/store/tables/column_list.h"

namespace scalestudy {

const Table& table_for(const EstimateRow*) {
  using Row = EstimateRow;
  static const Table kTable =
      make_table<Row>("estimate",
                      {column("cell_id", &Row::cell_id),
                       column("metric", &Row::metric),
                       column("statistic", &Row::statistic),
                       column("variant", &Row::variant),
                       column("unit", &Row::unit),
                       column("value", &Row::value),
                       column("lo", &Row::lo),
                       column("hi", &Row::hi),
                       column("sd", &Row::sd),
                       column("confidence", &Row::confidence),
                       column("method", &Row::method),
                       column("n", &Row::n),
                       column("n_excluded", &Row::n_excluded),
                       column("n_planned", &Row::n_planned),
                       column("status", &Row::status),
                       column("provenance", &Row::provenance),
                       column("definition", &Row::definition),
                       column("trials", &Row::trials),
                       column("recomputed_verdict", &Row::recomputed_verdict),
                       column("recomputed_lo", &Row::recomputed_lo),
                       column("recomputed_hi", &Row::recomputed_hi),
                       column("recomputed_from", &Row::recomputed_from)});
  return kTable;
}

const Table& table_for(const ComparisonRow*) {
  using Row = ComparisonRow;
  static const Table kTable =
      make_table<Row>("comparison",
                      {column("cell_id", &Row::cell_id),
                       column("baseline_cell_id", &Row::baseline_cell_id),
                       column("quantity", &Row::quantity),
                       column("scaling", &Row::scaling),
                       column("value", &Row::value),
                       column("lo", &Row::lo),
                       column("hi", &Row::hi),
                       column("confidence", &Row::confidence),
                       column("p_value", &Row::p_value),
                       column("p_adjusted", &Row::p_adjusted),
                       column("equivalence_p", &Row::equivalence_p),
                       column("equivalence_p_adjusted", &Row::equivalence_p_adjusted),
                       column("margin", &Row::margin),
                       column("method", &Row::method),
                       column("n", &Row::n),
                       column("n_baseline", &Row::n_baseline),
                       column("verdict", &Row::verdict),
                       column("finding", &Row::finding),
                       column("remark", &Row::remark),
                       column("status", &Row::status),
                       column("provenance", &Row::provenance),
                       column("trials", &Row::trials),
                       column("baseline_trials", &Row::baseline_trials),
                       column("doubted_cells", &Row::doubted_cells),
                       column("alpha_star", &Row::alpha_star),
                       column("family_size", &Row::family_size),
                       column("rejected", &Row::rejected)});
  return kTable;
}

const Table& table_for(const ThresholdRow*) {
  using Row = ThresholdRow;
  static const Table kTable = make_table<Row>("threshold",
                                              {column("metric", &Row::metric),
                                               column("level", &Row::level),
                                               column("along", &Row::along),
                                               column("group_label", &Row::group_label),
                                               column("status", &Row::status),
                                               column("bracket_lo", &Row::bracket_lo),
                                               column("bracket_hi", &Row::bracket_hi),
                                               column("estimate", &Row::estimate),
                                               column("lo", &Row::lo),
                                               column("hi", &Row::hi),
                                               column("censored_lo", &Row::censored_lo),
                                               column("censored_hi", &Row::censored_hi),
                                               column("confidence", &Row::confidence),
                                               column("method", &Row::method),
                                               column("tested_values", &Row::tested_values),
                                               column("finding", &Row::finding),
                                               column("provenance", &Row::provenance),
                                               column("trials", &Row::trials),
                                               column("cells", &Row::cells),
                                               column("alpha_star", &Row::alpha_star),
                                               column("family_size", &Row::family_size),
                                               column("rejected", &Row::rejected),
                                               column("pieces", &Row::pieces),
                                               column("open_values", &Row::open_values)});
  return kTable;
}

const Table& table_for(const LawRow*) {
  using Row = LawRow;
  static const Table kTable = make_table<Row>("law",
                                              {column("law", &Row::law),
                                               column("group_label", &Row::group_label),
                                               column("parameter", &Row::parameter),
                                               column("unit", &Row::unit),
                                               column("value", &Row::value),
                                               column("lo", &Row::lo),
                                               column("hi", &Row::hi),
                                               column("confidence", &Row::confidence),
                                               column("method", &Row::method),
                                               column("n", &Row::n),
                                               column("levels", &Row::levels),
                                               column("status", &Row::status),
                                               column("finding", &Row::finding),
                                               column("provenance", &Row::provenance),
                                               column("trials", &Row::trials),
                                               column("cells", &Row::cells)});
  return kTable;
}

const Table& table_for(const TargetResultRow*) {
  using Row = TargetResultRow;
  static const Table kTable = make_table<Row>("target_result",
                                              {column("name", &Row::name),
                                               column("metric", &Row::metric),
                                               column("cell_id", &Row::cell_id),
                                               column("bound", &Row::bound),
                                               column("level", &Row::level),
                                               column("value", &Row::value),
                                               column("lo", &Row::lo),
                                               column("hi", &Row::hi),
                                               column("verdict", &Row::verdict),
                                               column("finding", &Row::finding),
                                               column("provenance", &Row::provenance),
                                               column("alpha_star", &Row::alpha_star),
                                               column("family_size", &Row::family_size),
                                               column("rejected", &Row::rejected)});
  return kTable;
}

const Table& table_for(const SearchSettingRow*) {
  using Row = SearchSettingRow;
  static const Table kTable = make_table<Row>("search_setting",
                                              {column("cell_id", &Row::cell_id),
                                               column("quantity", &Row::quantity),
                                               column("departures", &Row::departures),
                                               column("role", &Row::role),
                                               column("race_trials", &Row::race_trials),
                                               column("left_after", &Row::left_after),
                                               column("is_recommended", &Row::is_recommended),
                                               column("finding", &Row::finding)});
  return kTable;
}

const Table& table_for(const ThreatRow*) {
  using Row = ThreatRow;
  static const Table kTable = make_table<Row>("threat",
                                              {column("kind", &Row::kind),
                                               column("severity", &Row::severity),
                                               column("finding", &Row::finding)});
  return kTable;
}

const Table& table_for(const LawChoiceRow*) {
  using Row = LawChoiceRow;
  static const Table kTable = make_table<Row>("law_choice",
                                              {column("group_label", &Row::group_label),
                                               column("chosen", &Row::chosen),
                                               column("held_out_error", &Row::held_out_error),
                                               column("levels", &Row::levels),
                                               column("n", &Row::n),
                                               column("status", &Row::status),
                                               column("finding", &Row::finding)});
  return kTable;
}

const Table& table_for(const VolumeRow*) {
  using Row = VolumeRow;
  static const Table kTable = make_table<Row>("volume",
                                              {column("cell_id", &Row::cell_id),
                                               column("quantity", &Row::quantity),
                                               column("unit", &Row::unit),
                                               column("calculated", &Row::calculated),
                                               column("measured", &Row::measured),
                                               column("ratio", &Row::ratio),
                                               column("formula", &Row::formula)});
  return kTable;
}

const Table& table_for(const ProjectionRow*) {
  using Row = ProjectionRow;
  static const Table kTable = make_table<Row>("projection",
                                              {column("name", &Row::name),
                                               column("group_label", &Row::group_label),
                                               column("devices", &Row::devices),
                                               column("value", &Row::value),
                                               column("lo", &Row::lo),
                                               column("hi", &Row::hi),
                                               column("throughput", &Row::throughput),
                                               column("confidence", &Row::confidence),
                                               column("method", &Row::method),
                                               column("factor", &Row::factor),
                                               column("held_out_error", &Row::held_out_error),
                                               column("error_limit", &Row::error_limit),
                                               column("rival_error", &Row::rival_error),
                                               late(column("held_out", &Row::held_out)),
                                               column("levels", &Row::levels),
                                               column("n", &Row::n),
                                               column("status", &Row::status),
                                               column("finding", &Row::finding),
                                               column("constants", &Row::constants),
                                               column("provenance", &Row::provenance),
                                               column("session", &Row::session),
                                               column("made_at", &Row::made_at),
                                               local(column("cell_id", &Row::cell_id)),
                                               local(column("measured", &Row::measured)),
                                               local(column("error", &Row::error)),
                                               local(column("trials", &Row::trials))});
  return kTable;
}

const Table& table_for(const FlagRow*) {
  using Row = FlagRow;
  static const Table kTable = make_table<Row>("flag",
                                              {column("trial_id", &Row::trial_id),
                                               column("level", &Row::level),
                                               column("rule", &Row::rule),
                                               column("count", &Row::count),
                                               column("share", &Row::share),
                                               column("score", &Row::score)});
  return kTable;
}

const Table& table_for(const FlaggedStepsRow*) {
  using Row = FlaggedStepsRow;
  static const Table kTable = make_table<Row>("flagged_steps",
                                              {column("cell_id", &Row::cell_id),
                                               column("trials", &Row::trials),
                                               column("flagged_trials", &Row::flagged_trials),
                                               column("steps", &Row::steps),
                                               column("flagged_steps", &Row::flagged_steps),
                                               column("share", &Row::share)});
  return kTable;
}

const Table& table_for(const PublicationRow*) {
  using Row = PublicationRow;
  static const Table kTable = make_table<Row>("publication",
                                              {local(column("study_id", &Row::study_id)),
                                               column("source", &Row::source),
                                               column("kind", &Row::kind),
                                               column("title", &Row::title),
                                               column("document", &Row::document),
                                               column("date", &Row::date),
                                               column("url", &Row::url),
                                               column("hardware", &Row::hardware),
                                               column("path", &Row::path),
                                               column("hash", &Row::hash)});
  return kTable;
}

const Table& table_for(const PublishedFigureRow*) {
  using Row = PublishedFigureRow;
  static const Table kTable = make_table<Row>("published_figure",
                                              {column("table_name", &Row::table_name),
                                               column("row", &Row::row),
                                               column("column_name", &Row::column_name),
                                               column("location", &Row::location),
                                               column("line", &Row::line),
                                               column("quantity", &Row::quantity),
                                               column("experiment", &Row::experiment),
                                               column("conditions", &Row::conditions),
                                               column("baseline", &Row::baseline),
                                               column("printed", &Row::printed),
                                               column("form", &Row::form),
                                               column("value", &Row::value),
                                               column("lo", &Row::lo),
                                               column("hi", &Row::hi),
                                               column("unit", &Row::unit),
                                               column("printed_unit", &Row::printed_unit),
                                               column("unit_size", &Row::unit_size),
                                               late(column("assumed", &Row::assumed))});
  return kTable;
}

const Table& table_for(const CounterpartRow*) {
  using Row = CounterpartRow;
  static const Table kTable =
      make_table<Row>("counterpart",
                      {column("figure_id", &Row::figure_id),
                       column("cell_id", &Row::cell_id),
                       column("value", &Row::value),
                       column("lo", &Row::lo),
                       column("hi", &Row::hi),
                       column("unit", &Row::unit),
                       column("n", &Row::n),
                       column("ratio", &Row::ratio),
                       column("ratio_lo", &Row::ratio_lo),
                       column("ratio_hi", &Row::ratio_hi),
                       column("per_device", &Row::per_device),
                       column("published_watts", &Row::published_watts),
                       column("per_watt", &Row::per_watt),
                       column("per_watt_lo", &Row::per_watt_lo),
                       column("per_watt_hi", &Row::per_watt_hi),
                       column("reason", &Row::reason),
                       column("metric", &Row::metric),
                       column("assumed", &Row::assumed),
                       column("note", &Row::note),
                       column("is_measured_quantity", &Row::is_measured_quantity)});
  return kTable;
}

}  // namespace scalestudy
