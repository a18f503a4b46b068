// What samples, tokens and a whole training cost on each cell, in money and time; what investments
// bring; what the study itself took.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/declared_prices.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr const char* kCost = "cost_per_million_samples";

// ---- the declared numbers

std::vector<Column<DeclaredRow>> declared_columns() {
  using enum Align;
  const auto or_missing = [](const std::string& text) {
    return text.empty() ? std::string("not said") : text;
  };
  return {
      {{"name", "Declared", "name of the price, energy, a line or an investment", kText},
       [](const DeclaredRow& row) { return row.name; }},
      {{"value", "Value", "the number with its unit", kText},
       [](const DeclaredRow& row) { return row.value; }},
      {{"source", "Source", "where it is from", kText},
       [=](const DeclaredRow& row) { return or_missing(row.declared.source); }},
      {{"date", "Date", "the day it is of", kText},
       [=](const DeclaredRow& row) { return or_missing(row.declared.date); }},
  };
}

// ---- the costs of cells

// A cell at one price; to columns of cells like a pointer to it.
struct PricedCell {
  const CellRow* cell = nullptr;
  std::string price;   // its name
  std::string suffix;  // of metrics at that price

  const CellRow& operator*() const { return *cell; }
};

std::vector<PricedCell> priced(const ReportInput& input, const Group& group, bool at_all_prices) {
  std::vector<PricedCell> rows;
  for (const CellRow* cell : cells_with(input, group, kCost)) {
    rows.push_back({cell, input.declared.cost->price.name, ""});
    for (const Price& price : input.declared.cost->others) {
      if (at_all_prices) {
        rows.push_back({cell, price.name, ":" + price.name});
      }
    }
  }
  return rows;
}

Column<PricedCell> money_column(const ReportInput& input,
                                const std::string& metric,
                                const ColumnHead& head) {
  return {head, [&input, metric](const PricedCell& row) {
            const EstimateRow* found = input.estimate(row.cell->id, metric + row.suffix);
            return found == nullptr ? "" : format_interval(measure_of(*found));
          }};
}

// The same at every price.
Column<PricedCell> time_column(const ReportInput& input,
                               const std::string& metric,
                               const ColumnHead& head) {
  return {head, [&input, metric](const PricedCell& row) {
            const EstimateRow* found = input.estimate(row.cell->id, metric);
            return found == nullptr ? "" : format_interval(measure_of(*found));
          }};
}

// Only beside an efficiency: at a price per device it would be the very efficiency that is not
// given, or for as many devices the speedup.
Column<PricedCell> efficiency_column(const ReportInput& input) {
  return {{"efficiency",
           "Cost efficiency (%)",
           "samples for the same cost over the base's, % [interval]",
           Align::kNumber,
           Shown::kPresent},
          [&input](const PricedCell& row) {
            const EstimateRow* found = input.estimate(row.cell->id, "cost_efficiency" + row.suffix);
            const bool is_given = input.comparison(row.cell->id, names::kEfficiency) != nullptr;
            return found == nullptr || !is_given ? "" : format_share(measure_of(*found), "", {1.0});
          }};
}

std::vector<Column<PricedCell>> cost_columns(const ReportInput& input) {
  using enum Align;
  const std::string currency = currency_of(input);
  const bool has_tokens = std::ranges::any_of(input.results.estimates, [](const EstimateRow& row) {
    return row.metric == "cost_per_million_tokens" && row.value;
  });
  // A training's cost is its device-hours, which have a column already.
  const bool is_of_device_hours =
      currency == kDeviceHours && input.declared.cost->price.per_device_hour == 1.0 &&
      input.declared.cost->price.per_node_hour == 0.0 && input.declared.cost->others.empty() &&
      input.declared.cost->lines.empty();
  return with_cell_columns<PricedCell>(
      input,
      {
          {{"price", "Price", "name of the price", kText, Shown::kDiffering},
           [](const PricedCell& row) { return row.price; }},
          {{"n", "n", "trials used / planned"},
           [&input](const PricedCell& row) {
             return trials_used(input.estimate(row.cell->id, kCost));
           }},
          money_column(input,
                       kCost,
                       {"cost",
                        fmt::format("Cost ({} per million samples)", currency),
                        "per million samples [interval]",
                        kNumber,
                        has_tokens ? Shown::kColumns : Shown::kAlways}),
          money_column(input,
                       "cost_per_million_tokens",
                       {"token_cost",
                        fmt::format("Cost ({} per million tokens)", currency),
                        "per million tokens [interval]",
                        kNumber,
                        Shown::kPresent}),
          time_column(input,
                      "epoch_time_s",
                      {"epoch_time",
                       "Epoch (s)",
                       "one pass over the declared samples [interval]",
                       kNumber,
                       Shown::kPresent}),
          time_column(input,
                      "training_hours",
                      {"training_hours",
                       "Training (h)",
                       "hours of the declared training [interval]",
                       kNumber,
                       Shown::kPresent}),
          time_column(input,
                      "training_device_hours",
                      {"device_hours",
                       "Device-hours",
                       "of the declared training: its hours times its devices [interval]",
                       kNumber,
                       Shown::kPresent}),
          money_column(input,
                       "training_cost",
                       {"training_cost",
                        fmt::format("Training ({})", currency),
                        "cost of the declared training, lines included [interval]",
                        kNumber,
                        is_of_device_hours ? Shown::kNever : Shown::kPresent}),
          efficiency_column(input),
      });
}

// ---- investments

struct InvestmentRow {
  const CellRow* cell = nullptr;
  const Investment* investment = nullptr;
  const EstimateRow* pays = nullptr;
  const EstimateRow* gain = nullptr;
  const ComparisonRow* speedup = nullptr;
};

// By gain for the same money, largest first.
std::vector<InvestmentRow> investment_rows(const ReportInput& input) {
  std::vector<InvestmentRow> rows;
  if (!input.declared.cost) {
    return rows;
  }
  for (const Investment& one : input.declared.cost->investments) {
    for (const CellRow& cell : input.cells) {
      const InvestmentRow row = {&cell,
                                 &one,
                                 input.estimate(cell.id, "pays_after_hours:" + one.name),
                                 input.estimate(cell.id, "gain_per_thousand:" + one.name),
                                 input.comparison(cell.id, names::kSpeedup)};
      if (row.pays != nullptr && row.gain != nullptr && row.gain->value && row.speedup != nullptr) {
        rows.push_back(row);
      }
    }
  }
  std::stable_sort(rows.begin(), rows.end(), [](const InvestmentRow& a, const InvestmentRow& b) {
    return *a.gain->value > *b.gain->value;
  });
  return rows;
}

// "1230 [980, 1700]"; "never" of what its interval says is no faster; without an upper end that is
// said.
std::string pays_text(const InvestmentRow& row) {
  if (!row.pays->value) {
    return row.speedup->hi && *row.speedup->hi <= 1.0 ? "never" : "not shown to pay";
  }
  return row.pays->lo && !row.pays->hi
             ? fmt::format(
                   "{} [{}, no end]", format_number(*row.pays->value), format_number(*row.pays->lo))
             : format_interval(measure_of(*row.pays));
}

std::vector<Column<InvestmentRow>> investment_columns(const ReportInput& input) {
  using enum Align;
  using One = InvestmentRow;
  const std::string currency = currency_of(input);
  return {
      {{"name", "Investment", "its name", kText},
       [](const One& row) { return row.investment->name; }},
      {{"cell", "Cell", "the cell that has it", kText},
       [&input](const One& row) { return cell_name(input, *row.cell); }},
      {{"price", fmt::format("Price ({})", currency), "what it costs once"},
       [](const One& row) { return format_declared(row.investment->price); }},
      {{"speedup", "Speedup (ratio)", "over the base [interval]"},
       [](const One& row) { return format_interval(measure_of(*row.speedup), {.levels = {1.0}}); }},
      {{"gain",
        fmt::format("Gain (% of throughput per 1000 {})", currency),
        "for its price [interval]"},
       [](const One& row) { return format_interval(measure_of(*row.gain), {.factor = 100.0}); }},
      {{"pays_after",
        "Pays after (h of the base)",
        "hours of work of the base after which what is saved is its price [interval]"},
       pays_text},
  };
}

// ---- what the study took

double sum_of(const ReportInput& input, const char* metric) {
  double sum = 0.0;
  for (const EstimateRow& row : input.results.estimates) {
    sum += row.metric == metric ? row.value.value_or(0.0) : 0.0;
  }
  return sum;
}

// "0.42 device-hours in 120 attempts, 1.26 USD at the declared price, and 0.0061 kWh as measured"
std::string study_use_text(const ReportInput& input) {
  std::map<std::int64_t, double> hours;
  std::int64_t attempts = 0;
  for (const EstimateRow& row : input.results.estimates) {
    if (row.metric == "device_hours_used") {
      hours[row.cell_id] += row.value.value_or(0.0);
      attempts += row.n;
    }
  }
  if (attempts == 0) {
    return "";
  }
  std::string text = fmt::format("{} device-hours in {}",
                                 format_plain(sum_of(input, "device_hours_used")),
                                 format_count(attempts, "attempt"));
  if (input.declared.cost) {
    double money = 0.0;
    for (const auto& [id, device_hours] : hours) {
      const CellRow& cell = input.cell(id);
      money += device_hours / static_cast<double>(cell.devices) *
               input.declared.cost->price.per_hour(cell.devices, cell.nodes);
    }
    text += fmt::format(", {} {} at the declared price", format_plain(money), currency_of(input));
  }
  const double kwh = sum_of(input, "energy_kwh_used");
  if (kwh > 0.0) {
    text += fmt::format(", and {} kWh as the machine counted", format_plain(kwh));
  } else if (input.declared.cost && input.declared.cost->energy) {
    const EnergyUse& energy = *input.declared.cost->energy;
    text += fmt::format(", and {} kWh at the declared power",
                        format_plain(sum_of(input, "device_hours_used") * energy.watts_per_device *
                                     energy.pue / 1000.0));
  }
  return text;
}

void fill_costs(View& view, const ReportInput& input, const Figures& figures) {
  view.set_list("prices", one_table(declared_columns(), declared_rows(input)));
  const bool has_training = std::ranges::any_of(
      input.results.estimates,
      [](const EstimateRow& row) { return row.metric == "training_hours" && row.value; });
  view.set_text("training",
                has_training && input.declared.cost && input.declared.cost->train
                    ? input.declared.cost->train->text
                    : "");
  view.set_list("costs", group_tables(input, figures, "cost", [&](const Group& group) {
                  return one_table(cost_columns(input), priced(input, group, true));
                }));
  view.set_list("base_costs", group_tables(input, figures, "", [&](const Group& group) {
                  return one_table(cost_columns(input), priced(input, group, false));
                }));
  view.set_flag("has_other_prices", input.declared.cost && !input.declared.cost->others.empty());
  view.set_list("investments", one_table(investment_columns(input), investment_rows(input)));
  view.set_text("study_use", study_use_text(input));
}

}  // namespace

Section costs_section() {
  using enum TagKind;
  return {table_tags(
              "prices", "declared prices, energy and investments", heads_of(declared_columns())) +
              Tags{{"training",
                    kText,
                    "what is to be trained, if its time is known: 90 epochs of 1281167 samples"}} +
              group_table_tags("costs",
                               "cost of the cells",
                               heads_of(cost_columns(empty_input())),
                               "cost against time") +
              group_table_tags("base_costs",
                               "the same at the first price alone",
                               heads_of(cost_columns(empty_input()))) +
              Tags{{"has_other_prices", kFlag, "the study declares further prices"}} +
              table_tags("investments",
                         "what may be bought, by gain for its price",
                         heads_of(investment_columns(empty_input()))) +
              Tags{{"study_use", kText, "device-hours, money and energy that the study took"}},
          fill_costs};
}

}  // namespace scalestudy::report
