// Which settings of libraries and links were applied, one row a setting and state.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/store/cell_name.h"
#include "harness/store/cell_parameters.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

struct Knob {
  std::string name;  // of the parameter
  SettingState state = SettingState::kUnconfirmed;
  std::vector<std::string> values = {};
  std::size_t cells = 0;
};

// Of cells with trials that count.
std::vector<Knob> knobs_of(const ReportInput& input) {
  std::vector<Knob> knobs;
  for (const CellRow& cell : input.cells) {
    for (const CellRow::Parameter& parameter : cell.parameters) {
      const std::string setting = setting_of(parameter);
      if (setting.empty() || cell.excluded_reason || input.used_trials(cell.id).empty()) {
        continue;
      }
      const SettingState state = input.setting_state(cell, setting);
      auto knob = std::ranges::find_if(knobs, [&](const Knob& each) {
        return each.name == parameter.name && each.state == state;
      });
      if (knob == knobs.end()) {
        knob = knobs.insert(knobs.end(), Knob{.name = parameter.name, .state = state});
      }
      ++knob->cells;
      const std::string value = name_value(parameter.name, parameter.value);
      if (std::ranges::find(knob->values, value) == knob->values.end()) {
        knob->values.push_back(value);
      }
    }
  }
  return knobs;
}

std::vector<Column<Knob>> knob_columns(const ReportInput& input) {
  return {
      {{"setting", "Setting", "a variable, or a parameter of links", Align::kText},
       [&input](const Knob& knob) { return name_axis(knob.name, input.declared.labels); }},
      {{"asked", "Asked for", "values of the cells of this row", Align::kText},
       [](const Knob& knob) { return join(knob.values, ", "); }},
      {{"state", "Outcome", "applied, overridden, not seen or unconfirmed", Align::kText},
       [](const Knob& knob) { return std::string(to_word(knob.state)); }},
      {{"cells", "Cells", "how many"}, [](const Knob& knob) { return std::to_string(knob.cells); }},
  };
}

}  // namespace

Section knobs_section() {
  return {table_tags("knobs",
                     "settings that cells ask for, and whether they were applied",
                     heads_of(knob_columns(empty_input()))),
          [](View& view, const ReportInput& input, const Figures&) {
            view.set_list("knobs", one_table(knob_columns(input), knobs_of(input)));
          }};
}

}  // namespace scalestudy::report
