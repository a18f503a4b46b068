// What the declared training costs part by part, at each price; purchases that no cell shows.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"

namespace scalestudy::report {
namespace {

// One part of the cost of a training at one price.
struct Part {
  std::string name;
  std::string price;
  const EstimateRow* cost = nullptr;
  const EstimateRow* saving = nullptr;  // of a total at another price than the first
};

// The cell of the group whose training costs least at the first price; nullptr without one.
const CellRow* cheapest_training(const ReportInput& input, const Group& group) {
  const CellRow* best = nullptr;
  const auto cost = [&](const CellRow* cell) {
    return measure_of(input.estimate(cell->id, "training_cost")).value.value_or(0.0);
  };
  for (const CellRow* cell : cells_with(input, group, "training_cost")) {
    if (input.has_claim(*cell) && cost(cell) > 0.0 &&
        (best == nullptr || cost(cell) < cost(best))) {
      best = cell;
    }
  }
  return best;
}

std::vector<Part> parts_of(const ReportInput& input, const CellRow& cell) {
  const Cost& cost = *input.declared.cost;
  const auto find = [&](const std::string& metric) { return input.estimate(cell.id, metric); };
  std::vector<Part> parts;
  const auto add_price = [&](const Price& price, const std::string& suffix) {
    parts.push_back({"machines", price.name, find("training_machine_cost" + suffix), nullptr});
    for (const CostLine& line : cost.lines) {
      parts.push_back({line.name, price.name, find("training_line_cost:" + line.name), nullptr});
    }
    const EstimateRow* saving = suffix.empty() ? nullptr : find("training_saving" + suffix);
    parts.push_back({"all", price.name, find("training_cost" + suffix), saving});
  };
  add_price(cost.price, "");
  for (const Price& price : cost.others) {
    add_price(price, ":" + price.name);
  }
  std::erase_if(parts, [](const Part& part) { return part.cost == nullptr; });
  return parts;
}

// A declared sum has no interval.
std::string cost_text(const Part& part) {
  const Measure cost = measure_of(part.cost);
  return cost.value && cost.lo == cost.hi && cost.lo ? format_declared(*cost.value)
                                                     : format_interval(cost);
}

// In tenths of a percent where both ends are the same in them: it hardly depends on the time.
std::string saving_text(const Part& part) {
  const Measure saving = part.saving == nullptr ? Measure{} : measure_of(part.saving);
  const auto tenths = [](double share) { return std::round(1000.0 * share); };
  return saving.lo && saving.hi && tenths(*saving.lo) == tenths(*saving.hi)
             ? format_decimals(100.0 * *saving.lo, 1)
             : format_share(saving, "");
}

std::vector<Column<Part>> part_columns(const ReportInput& input) {
  using enum Align;
  const std::string currency = input.declared.cost ? input.declared.cost->currency : "";
  return {
      {{"price", "Price", "name of the price", kText}, [](const Part& part) { return part.price; }},
      {{"part", "Part", "machines, a declared line, or all", kText},
       [](const Part& part) { return part.name; }},
      {{"cost", fmt::format("Cost ({})", currency), "of the declared training [interval]"},
       cost_text},
      {{"saving",
        "Less than at the first price (%)",
        "of all parts [interval]",
        kNumber,
        Shown::kPresent},
       saving_text},
  };
}

void fill_cost_parts(View& view, const ReportInput& input, const Figures& /*figures*/) {
  View::List tables;
  const bool has_parts = input.declared.cost && (!input.declared.cost->lines.empty() ||
                                                 !input.declared.cost->others.empty());
  for (const Group& group : has_parts ? group_cells(input) : std::vector<Group>()) {
    if (const CellRow* cell = cheapest_training(input, group)) {
      for (View& table : one_table(part_columns(input), parts_of(input, *cell))) {
        table.set_text("of", cell_name(input, *cell));
        tables.push_back(std::move(table));
      }
    }
  }
  view.set_list("cost_parts", std::move(tables));
}

}  // namespace

Section cost_parts_section() {
  return {table_tags("cost_parts",
                     "parts of the cheapest declared training of a model, at each price",
                     heads_of(part_columns(empty_input()))) +
              Tags{{"cost_parts.of", TagKind::kText, "the cell it is of"}},
          fill_cost_parts};
}

}  // namespace scalestudy::report
