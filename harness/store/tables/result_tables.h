// Columns of the result tables.
#pragma once

#include "harness/store/rows/result_rows.h"
#include "harness/store/tables/columns.h"
#include "harness/store/tables/curve_tables.h"

namespace scalestudy {

template <>
struct Table<EstimateRow> {
  using Row = EstimateRow;
  static constexpr const char* name = "estimate";
  static constexpr auto columns = std::tuple(column("cell_id", &Row::cell_id),
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
                                             column("trials", &Row::trials));
};

template <>
struct Table<ComparisonRow> {
  using Row = ComparisonRow;
  static constexpr const char* name = "comparison";
  static constexpr auto columns =
      std::tuple(column("cell_id", &Row::cell_id),
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
                 column("doubted_cells", &Row::doubted_cells));
};

template <>
struct Table<TargetResultRow> {
  using Row = TargetResultRow;
  static constexpr const char* name = "target_result";
  static constexpr auto columns = std::tuple(column("name", &Row::name),
                                             column("metric", &Row::metric),
                                             column("cell_id", &Row::cell_id),
                                             column("bound", &Row::bound),
                                             column("level", &Row::level),
                                             column("value", &Row::value),
                                             column("lo", &Row::lo),
                                             column("hi", &Row::hi),
                                             column("verdict", &Row::verdict),
                                             column("finding", &Row::finding),
                                             column("provenance", &Row::provenance));
};

template <>
struct Table<SearchSettingRow> {
  using Row = SearchSettingRow;
  static constexpr const char* name = "search_setting";
  static constexpr auto columns = std::tuple(column("cell_id", &Row::cell_id),
                                             column("quantity", &Row::quantity),
                                             column("departures", &Row::departures),
                                             column("role", &Row::role),
                                             column("race_trials", &Row::race_trials),
                                             column("left_after", &Row::left_after),
                                             column("is_recommended", &Row::is_recommended),
                                             column("finding", &Row::finding));
};

template <>
struct Table<ThreatRow> {
  using Row = ThreatRow;
  static constexpr const char* name = "threat";
  static constexpr auto columns = std::tuple(column("kind", &Row::kind),
                                             column("severity", &Row::severity),
                                             column("finding", &Row::finding));
};

}  // namespace scalestudy
