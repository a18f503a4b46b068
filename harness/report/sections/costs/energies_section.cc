// Power, energy and carbon of each cell by declared power.
#include <fmt/format.h>

#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"

namespace scalestudy::report {
namespace {

using Row = const CellRow*;

std::vector<Column<Row>> energy_columns(const ReportInput& input) {
  const auto column = [&](const char* metric, const ColumnHead& head) {
    return Column<Row>{head, [&input, metric](const Row& cell) {
                         const EstimateRow* found = input.estimate(cell->id, metric);
                         return found == nullptr ? "" : format_interval(measure_of(*found));
                       }};
  };
  using enum Align;
  const std::string currency = input.declared.cost ? input.declared.cost->currency : "";
  return with_cell_columns<Row>(
      input,
      {{{"power", "Power (kW)", "declared, of all devices, with PUE", kNumber, Shown::kPresent},
        [&input](const Row& cell) {
          const Measure power = measure_of(input.estimate(cell->id, "declared_power_kw"));
          return power.value ? format_number(*power.value) : std::string();
        }},
       column("throughput_per_kw",
              {"throughput_per_kw",
               "Samples/s a kW",
               "throughput over the declared power [interval]",
               kNumber,
               Shown::kPresent}),
       column("tokens_per_second_per_kw",
              {"tokens_per_kw",
               "Tokens/s a kW",
               "tokens over the declared power [interval]",
               kNumber,
               Shown::kPresent}),
       column("energy_kwh_per_million_samples",
              {"energy", "Energy (kWh per million samples)", "kWh per million samples [interval]"}),
       column("kg_co2_per_million_samples",
              {"carbon",
               "Carbon (kg CO2 per million samples)",
               "kg CO2 per million samples [interval]",
               kNumber,
               Shown::kPresent}),
       column("training_kwh",
              {"training_energy",
               "Training (kWh)",
               "of the declared training [interval]",
               kNumber,
               Shown::kPresent}),
       column("training_energy_cost",
              {"energy_cost",
               fmt::format("Its energy ({})", currency),
               "of the declared training [interval]",
               kNumber,
               Shown::kPresent}),
       column("training_kg_co2",
              {"training_carbon",
               "Training (kg CO2)",
               "of the declared training [interval]",
               kNumber,
               Shown::kPresent})});
}

void fill_energies(View& view, const ReportInput& input, const Figures& figures) {
  view.set_list("energies", group_tables(input, figures, "", [&](const Group& group) {
                  return one_table(energy_columns(input),
                                   cells_with(input, group, "energy_kwh_per_million_samples"));
                }));
}

}  // namespace

Section energies_section() {
  return {
      group_table_tags("energies", "energy of the cells", heads_of(energy_columns(empty_input()))),
      fill_energies};
}

}  // namespace scalestudy::report
