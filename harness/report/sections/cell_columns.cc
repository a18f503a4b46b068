#include "harness/report/sections/cell_columns.h"

#include <algorithm>

#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {

std::string devices_text(const CellRow& cell) {
  return count_text(cell.devices) + (cell.oversubscribed ? " †" : "");
}

std::string compared_share_text(const ReportInput& input,
                                const CellRow& cell,
                                const std::string& quantity) {
  const ComparisonRow* row = input.comparison(cell.id, quantity);
  const double level = quantity == names::kEfficiency ? 1.0 : 0.0;  // of the verdict
  return row == nullptr ? "" : format_share(measure_of(*row), "", {level});
}

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "";
}

std::string batch_heading(const ReportInput& input, const std::string& name) {
  const std::string label = label_of(input, name);
  return label != name ? label : name == names::kBatchGlobal ? "Global batch" : "Batch per device";
}

ColumnHead devices_head(const ReportInput& input) {
  const bool has_devices = std::any_of(
      input.cells.begin(), input.cells.end(), [](const CellRow& cell) { return cell.devices > 1; });
  const std::string label = label_of(input, names::kDevices);
  return {"devices",
          label == names::kDevices ? "Devices" : label,
          "devices; † where they were oversubscribed",
          Align::kNumber,
          has_devices ? Shown::kAlways : Shown::kNever};
}

std::string message_size_text(const CellRow& cell) {
  const std::optional<std::int64_t> bytes = message_bytes(cell);
  return bytes ? format_bytes(*bytes) : "";
}

ColumnHead message_head() {
  return {"message", "Message", "size of the message: 64 KiB", Align::kNumber, Shown::kPresent};
}

}  // namespace scalestudy::report
