// What the declared training takes and costs at prices whose machines are preempted: a scenario.
#include <algorithm>

#include <fmt/format.h>

#include "harness/report/input/declared_prices.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"

namespace scalestudy::report {
namespace {

// A cell at a price with preemptions; to columns of cells like a pointer to it.
struct PreemptedCell {
  const CellRow* cell = nullptr;
  const Price* price = nullptr;
  std::string suffix;  // of metrics at that price

  const CellRow& operator*() const { return *cell; }
};

std::vector<PreemptedCell> preempted(const ReportInput& input, const Group& group) {
  std::vector<PreemptedCell> rows;
  if (!input.declared.cost) {
    return rows;
  }
  const Cost& cost = *input.declared.cost;
  for (const CellRow* cell : group.cells) {
    for (const Price* price : prices_of(cost)) {
      const std::string suffix = price_suffix(cost, *price);
      if (input.estimate(cell->id, "preempted_training_cost" + suffix) != nullptr) {
        rows.push_back({cell, price, suffix});
      }
    }
  }
  return rows;
}

Column<PreemptedCell> value_column(const ReportInput& input,
                                   const std::string& metric,
                                   const ColumnHead& head) {
  return {head, [&input, metric](const PreemptedCell& row) {
            return format_interval(measure_of(input.estimate(row.cell->id, metric + row.suffix)));
          }};
}

// In percent, without an interval that only digits far below a reader's would show.
std::string share_text(const Measure& share) {
  constexpr double unseen = 1e-5;  // of an overhead
  constexpr double exact = 5e-4;   // half the width of a share's interval
  if (share.hi && *share.hi >= 0.0 && *share.hi < unseen) {
    return "< 0.001";
  }
  const bool is_exact = share.value && share.lo && share.hi && *share.value > unseen &&
                        *share.hi - *share.lo < 2.0 * exact * *share.value;
  return is_exact ? format_plain(100.0 * *share.value) : format_share(share, "");
}

Column<PreemptedCell> share_column(const ReportInput& input,
                                   const std::string& metric,
                                   const ColumnHead& head) {
  return {head, [&input, metric](const PreemptedCell& row) {
            return share_text(measure_of(input.estimate(row.cell->id, metric + row.suffix)));
          }};
}

std::vector<Column<PreemptedCell>> preempted_columns(const ReportInput& input) {
  using enum Align;
  return with_cell_columns<PreemptedCell>(
      input,
      {
          {{"price", "Price", "name of the price", kText},
           [](const PreemptedCell& row) { return row.price->name; }},
          {{"n", "n", "trials used / planned"},
           [&input](const PreemptedCell& row) {
             return trials_used(
                 input.estimate(row.cell->id, "preempted_training_cost" + row.suffix));
           }},
          {{"mtbf",
            "Between preemptions (h)",
            "mean time of all its devices, by the mark of a scenario"},
           [](const PreemptedCell& row) {
             return fmt::format(
                 "△ {}",
                 format_number(row.price->preemption_mtbf_s(row.cell->devices) / kSecondsAnHour));
           }},
          share_column(input,
                       "preempted_overhead",
                       {"overhead", "Overhead (%)", "of preemptions, over the work [interval]"}),
          value_column(input,
                       "preempted_training_hours",
                       {"hours", "Training (h)", "of the declared training [interval]"}),
          value_column(input,
                       "preempted_training_cost",
                       {"cost",
                        fmt::format("Training ({})", currency_of(input)),
                        "cost of the declared training, lines included [interval]"}),
          share_column(input,
                       "preempted_training_saving",
                       {"saving",
                        "Less than at the first price (%)",
                        "of that cost, without preemptions there [interval]",
                        kNumber,
                        Shown::kPresent}),
      });
}

}  // namespace

Section preempted_costs_section() {
  return {group_table_tags("preempted_costs",
                           "what the training costs at prices with preemptions: a scenario",
                           heads_of(preempted_columns(empty_input()))),
          [](View& view, const ReportInput& input, const Figures& figures) {
            view.set_list("preempted_costs",
                          group_tables(input, figures, "", [&](const Group& group) {
                            return one_table(preempted_columns(input), preempted(input, group));
                          }));
          }};
}

}  // namespace scalestudy::report
