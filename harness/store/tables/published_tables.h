// Columns of the tables of published figures.
#pragma once

#include "harness/store/rows/published_rows.h"
#include "harness/store/tables/columns.h"

namespace scalestudy {

template <>
struct Table<PublicationRow> {
  using Row = PublicationRow;
  static constexpr const char* name = "publication";
  static constexpr auto columns = std::tuple(column("study_id", &Row::study_id),
                                             column("source", &Row::source),
                                             column("kind", &Row::kind),
                                             column("title", &Row::title),
                                             column("document", &Row::document),
                                             column("date", &Row::date),
                                             column("url", &Row::url),
                                             column("hardware", &Row::hardware),
                                             column("path", &Row::path),
                                             column("hash", &Row::hash));
};

template <>
struct Table<PublishedFigureRow> {
  using Row = PublishedFigureRow;
  static constexpr const char* name = "published_figure";
  static constexpr auto columns = std::tuple(column("table_name", &Row::table_name),
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
                                             column("unit_size", &Row::unit_size));
};

template <>
struct Table<CounterpartRow> {
  using Row = CounterpartRow;
  static constexpr const char* name = "counterpart";
  static constexpr auto columns =
      std::tuple(column("figure_id", &Row::figure_id),
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
                 column("is_measured_quantity", &Row::is_measured_quantity));
};

}  // namespace scalestudy
