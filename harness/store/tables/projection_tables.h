// Columns of the tables of law choices, volumes and projections.
#pragma once

#include "harness/store/rows/projection_rows.h"
#include "harness/store/tables/columns.h"

namespace scalestudy {

template <>
struct Table<LawChoiceRow> {
  using Row = LawChoiceRow;
  static constexpr const char* name = "law_choice";
  static constexpr auto columns = std::tuple(column("group_label", &Row::group_label),
                                             column("chosen", &Row::chosen),
                                             column("held_out_error", &Row::held_out_error),
                                             column("levels", &Row::levels),
                                             column("n", &Row::n),
                                             column("status", &Row::status),
                                             column("finding", &Row::finding));
};

template <>
struct Table<VolumeRow> {
  using Row = VolumeRow;
  static constexpr const char* name = "volume";
  static constexpr auto columns = std::tuple(column("cell_id", &Row::cell_id),
                                             column("quantity", &Row::quantity),
                                             column("unit", &Row::unit),
                                             column("calculated", &Row::calculated),
                                             column("measured", &Row::measured),
                                             column("ratio", &Row::ratio),
                                             column("formula", &Row::formula));
};

template <>
struct Table<ProjectionRow> {
  using Row = ProjectionRow;
  static constexpr const char* name = "projection";
  static constexpr auto columns = std::tuple(column("name", &Row::name),
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
                                             column("held_out", &Row::held_out),
                                             column("levels", &Row::levels),
                                             column("n", &Row::n),
                                             column("status", &Row::status),
                                             column("finding", &Row::finding),
                                             column("constants", &Row::constants),
                                             column("provenance", &Row::provenance),
                                             column("session", &Row::session),
                                             column("made_at", &Row::made_at),
                                             column("cell_id", &Row::cell_id),
                                             column("measured", &Row::measured),
                                             column("error", &Row::error),
                                             column("trials", &Row::trials));
};

}  // namespace scalestudy
