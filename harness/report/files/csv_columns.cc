#include "harness/report/files/csv_columns.h"

#include <variant>

namespace scalestudy::report {

std::string csv_text(const TrialIds& ids) {
  std::string joined;
  for (const std::int64_t id : ids) {
    joined += (joined.empty() ? "" : " ") + std::to_string(id);
  }
  return joined;
}

std::string csv_text(const AxisValues& values) {
  std::string joined;
  for (const double value : values) {
    joined += (joined.empty() ? "" : " ") + csv_text(value);
  }
  return joined;
}

std::string stored_text(const ColumnValue& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>) {
          return "";
        } else {
          return csv_text(held);
        }
      },
      value);
}

CsvColumns<CellRow> cell_columns(std::size_t count, const std::string& prefix) {
  CsvColumns<CellRow> columns = stored_columns<CellRow>({{"hash", "cell"}});
  columns.resize(count);
  for (CsvColumn<CellRow>& column : columns) {
    column.name.insert(0, prefix);
  }
  return columns;
}

}  // namespace scalestudy::report
