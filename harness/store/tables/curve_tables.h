// Columns of the tables of thresholds and laws.
#pragma once

#include "harness/store/rows/curve_rows.h"
#include "harness/store/tables/columns.h"

namespace scalestudy {

template <>
struct Table<ThresholdRow> {
  using Row = ThresholdRow;
  static constexpr const char* name = "threshold";
  static constexpr auto columns = std::tuple(column("metric", &Row::metric),
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
                                             column("cells", &Row::cells));
};

template <>
struct Table<LawRow> {
  using Row = LawRow;
  static constexpr const char* name = "law";
  static constexpr auto columns = std::tuple(column("law", &Row::law),
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
                                             column("cells", &Row::cells));
};

}  // namespace scalestudy
