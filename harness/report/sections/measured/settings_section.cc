// Settings over the numbers of devices they were tested with: a strategy's efficiency,
// communication and memory from their lowest to their highest value.
#include <algorithm>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// Estimates of several cells, from the lowest to the highest.
struct Range {
  double least = std::numeric_limits<double>::infinity();
  double most = -std::numeric_limits<double>::infinity();

  void add(std::optional<double> value) {
    if (value) {
      least = std::min(least, *value);
      most = std::max(most, *value);
    }
  }
};

// "61.2 to 92.0"; "" of none, and the number alone of one.
std::string range_text(const Range& range, const std::function<std::string(double)>& text) {
  if (range.least > range.most) {
    return "";
  }
  const std::string from = text(range.least);
  const std::string to = text(range.most);
  return from == to ? from : from + " to " + to;
}

std::string percent(double share) {
  return format_plain(100.0 * share);
}

struct Setting {
  std::string name;
  Range devices = {};
  Range efficiency = {};
  Range communication = {};
  Range memory_bytes = {};
};

std::vector<Setting> settings_of(const ReportInput& input, const Group& group) {
  std::vector<Setting> settings;
  for (const CellRow* cell : group.cells) {
    const ComparisonRow* efficiency = input.comparison(cell->id, names::kEfficiency);
    if (efficiency == nullptr || !is_usable(*efficiency) || !input.has_claim(*cell)) {
      continue;
    }
    const std::string name = configuration(input, on_device_curve(input, *cell));
    auto found = std::ranges::find(settings, name, &Setting::name);
    if (found == settings.end()) {
      found = settings.insert(settings.end(), Setting{.name = name});
    }
    found->devices.add(static_cast<double>(cell->devices));
    found->efficiency.add(efficiency->value);
    if (const ComparisonRow* row = input.comparison(cell->id, names::kOverhead)) {
      found->communication.add(row->value);
    }
    found->memory_bytes.add(measure_of(input.estimate(cell->id, names::kPeakBytes)).value);
  }
  if (settings.size() < 2) {
    settings.clear();
  }
  return settings;
}

std::vector<Column<Setting>> setting_columns(const ReportInput& input) {
  using enum Align;
  const Scale memory = memory_scale(input);
  return {
      {{"name", "Setting", "what is varied beside devices and batch", kText},
       [](const Setting& row) { return row.name; }},
      {{"devices", "Devices", "tested with, lowest to highest"},
       [](const Setting& row) { return range_text(row.devices, format_number); }},
      {{"efficiency", "Efficiency (%)", "estimates, lowest to highest"},
       [](const Setting& row) { return range_text(row.efficiency, percent); }},
      {{"communication",
        "Communication (% of the step)",
        "estimates, lowest to highest",
        kNumber,
        Shown::kPresent},
       [](const Setting& row) { return range_text(row.communication, percent); }},
      {{"memory",
        fmt::format("Memory ({} per device)", memory.unit),
        "by the program's own count, lowest to highest",
        kNumber,
        Shown::kPresent},
       [memory](const Setting& row) {
         return range_text(row.memory_bytes,
                           [&](double bytes) { return memory_text(bytes, memory); });
       }},
  };
}

}  // namespace

Section settings_section() {
  return {group_table_tags("settings",
                           "settings over the numbers of devices they were tested with",
                           heads_of(setting_columns(empty_input()))),
          [](View& view, const ReportInput& input, const Figures& figures) {
            view.set_list("settings", group_tables(input, figures, "", [&](const Group& group) {
                            return one_table(setting_columns(input), settings_of(input, group));
                          }));
          }};
}

}  // namespace scalestudy::report
