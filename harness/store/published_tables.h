// Columns of the tables of published figures; see tables.h.
#pragma once

#include "harness/store/tables.h"

namespace scalestudy::sql {

template <>
struct Table<PublicationRow> {
  static constexpr const char* name = "publication";
  static constexpr const char* columns =
      "study_id, kind, source, title, document, date, url, hardware, path, hash";
  static auto fields(auto& row) {
    return std::tie(row.study_id,
                    row.kind,
                    row.source,
                    row.title,
                    row.document,
                    row.date,
                    row.url,
                    row.hardware,
                    row.path,
                    row.hash);
  }
};

template <>
struct Table<CounterpartRow> {
  static constexpr const char* name = "counterpart";
  static constexpr const char* columns =
      "figure_id, cell_id, value, lo, hi, unit, n, reason, is_measured_quantity";
  static auto fields(auto& row) {
    return std::tie(row.figure_id,
                    row.cell_id,
                    row.value,
                    row.lo,
                    row.hi,
                    row.unit,
                    row.n,
                    row.reason,
                    row.is_measured_quantity);
  }
};

template <>
struct Table<PublishedFigureRow> {
  static constexpr const char* name = "published_figure";
  static constexpr const char* columns =
      "table_name, row, column_name, location, quantity, experiment, conditions, baseline, "
      "printed, "
      "form, value, lo, hi, unit, printed_unit, unit_size, line";
  static auto fields(auto& row) {
    return std::tie(row.table_name,
                    row.row,
                    row.column_name,
                    row.location,
                    row.quantity,
                    row.experiment,
                    row.conditions,
                    row.baseline,
                    row.printed,
                    row.form,
                    row.value,
                    row.lo,
                    row.hi,
                    row.unit,
                    row.printed_unit,
                    row.unit_size,
                    row.line);
  }
};

}  // namespace scalestudy::sql
