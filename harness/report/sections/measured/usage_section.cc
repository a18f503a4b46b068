// What trials used of the machine: cores, GPUs, memory, links, power and energy, as counters told
// it.
#include <algorithm>
#include <array>
#include <vector>

#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

enum class As { kPlain, kPercent };

// One of harness/analysis/observe/observe_machine.h.
Column<Row> usage_column(const ReportInput& input,
                         const char* metric,
                         const char* heading,
                         const char* meaning,
                         As as = As::kPlain) {
  return {{metric, heading, meaning, Align::kNumber, Shown::kPresent},
          [&input, metric, as](const Row& cell) {
            const Measure measure = measure_of(input.estimate(cell->id, metric));
            return as == As::kPercent ? format_share(measure, "") : format_interval(measure);
          }};
}

std::vector<Column<Row>> usage_columns(const ReportInput& input) {
  return with_cell_columns<Row>(
      input,
      {
          usage_column(input,
                       "cpu_cores",
                       "Cores busy",
                       "CPU time of the trial over its wall time, launch included [interval]"),
          usage_column(input,
                       "system_share",
                       "In the kernel (% of CPU time)",
                       "of that time [interval]",
                       As::kPercent),
          usage_column(input,
                       "loading_share",
                       "Loading (% of CPU time)",
                       "where the program tells it [interval]",
                       As::kPercent),
          usage_column(input,
                       "preprocessing_share",
                       "Preprocessing (% of CPU time)",
                       "where the program tells it [interval]",
                       As::kPercent),
          usage_column(
              input,
              "gpu_busy_share",
              "GPU busy (% of the time)",
              "with some kernel, launch included; mean of the GPUs that ran any [interval]",
              As::kPercent),
          usage_column(input,
                       "memory_share",
                       "GPU memory (% of it)",
                       "largest of the GPUs [interval]",
                       As::kPercent),
          usage_column(input,
                       "link_share",
                       "Network (% of the busiest link)",
                       "by counters, over the measured time [interval]",
                       As::kPercent),
          usage_column(input,
                       "declared_link_share",
                       "Network (% of the declared link)",
                       "what a rank has to send at least, in the time of a step [interval]",
                       As::kPercent),
          usage_column(input, "power_w", "Power (W)", "by counters [interval]"),
          usage_column(input, "energy_per_step_j", "Energy (J per step)", "by counters [interval]"),
          usage_column(
              input, "energy_per_sample_j", "Energy (J per sample)", "by counters [interval]"),
      });
}

// Trials over several nodes tell no CPU time.
std::vector<Row> cells_with_usage(const ReportInput& input, const Group& group) {
  std::vector<Row> cells = group.cells;
  std::erase_if(cells, [&](const Row& cell) {
    return std::ranges::none_of(
        std::array{
            "cpu_cores", "gpu_busy_share", "memory_share", "link_share", "declared_link_share"},
        [&](const char* metric) { return input.estimate(cell->id, metric) != nullptr; });
  });
  return cells;
}

void fill_usage(View& view, const ReportInput& input, const Figures& figures) {
  bool has_energy = false;
  bool has_gpu_use = false;
  for (const EstimateRow& row : input.results.estimates) {
    has_energy |= row.metric == "power_w" && row.value;
    has_gpu_use |= row.metric == "gpu_busy_share" && row.value;
  }
  view.set_list("usage", group_tables(input, figures, "", [&](const Group& group) {
                  return one_table(usage_columns(input), cells_with_usage(input, group));
                }));
  view.set_flag("has_measured_energy", has_energy);
  view.set_flag("has_gpu_use", has_gpu_use);
}

}  // namespace

Section usage_section() {
  return {group_table_tags(
              "usage", "what trials used of the machine", heads_of(usage_columns(empty_input()))) +
              Tags{{"has_measured_energy", TagKind::kFlag, "counters told the energy of some cell"},
                   {"has_gpu_use", TagKind::kFlag, "the driver told how busy GPUs were"}},
          fill_usage};
}

}  // namespace scalestudy::report
