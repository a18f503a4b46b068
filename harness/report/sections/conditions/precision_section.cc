// How well each cell is known, what stopped its trials, and what would make it known better.
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

std::string half_width_text(const EstimateRow& mean) {
  if (!mean.value || !mean.lo || !mean.hi || !(*mean.value > 0.0)) {
    return "–";
  }
  const double percent = 50.0 * (*mean.hi - *mean.lo) / *mean.value;
  return format_decimals(percent, decimals_of(percent, 2));
}

std::string stop_text(const EstimateRow& stop) {
  if (stop.status == RowStatus::kPrecision) {
    return "precision";
  }
  if (stop.status == RowStatus::kBudget) {
    return "the number planned";
  }
  return stop.status == RowStatus::kTime ? "max_time" : "not yet";
}

// Whatever lies between trials is made smaller by more trials alone.
std::string advice(double between_share) {
  constexpr double half = 0.5;
  return between_share > half ? "more trials" : "more trials or steps";
}

struct Known {
  const CellRow* cell = nullptr;
  const EstimateRow* mean = nullptr;
};

std::vector<Column<Known>> precision_columns(const ReportInput& input) {
  using enum Align;
  const auto statistic = [&input](const Known& row, Statistic name) {
    return input.estimate(row.cell->id, names::kStepTime, name);
  };
  return {
      {{"cell", "Cell", "cell", kText},
       [&input](const Known& row) { return cell_name(input, *row.cell); }},
      {{"n", "n", "trials used"}, [](const Known& row) { return std::to_string(row.mean->n); }},
      {{"half_width", "Half-width (%)", "half-width of the mean step time's interval, % of it"},
       [](const Known& row) { return half_width_text(*row.mean); }},
      {{"stopped_by",
        "Stopped by",
        "precision, the number planned, max_time or not yet; absent where the number is fixed",
        kText,
        Shown::kPresent},
       [statistic](const Known& row) {
         const EstimateRow* stop = statistic(row, Statistic::kRelativeHalfWidth);
         return stop == nullptr ? "" : stop_text(*stop);
       }},
      {{"between_trials",
        "Between trials (%)",
        "share of a trial mean's variance between trials, %"},
       [statistic](const Known& row) {
         const Measure share = measure_of(statistic(row, Statistic::kBetweenTrialsShare));
         return share.value ? format_decimals(100.0 * *share.value, 0) : "";
       }},
      {{"advice", "Narrower by", "more trials, or more trials or steps", kText},
       [statistic](const Known& row) {
         const Measure share = measure_of(statistic(row, Statistic::kBetweenTrialsShare));
         return share.value ? advice(*share.value) : "";
       }},
      {{"best_steps",
        "Best steps a trial",
        "measured steps a trial that pay most for the time spent"},
       [statistic](const Known& row) {
         const Measure steps = measure_of(statistic(row, Statistic::kOptimalSteps));
         return steps.value ? format_decimals(*steps.value, 0) : "";
       }},
  };
}

View median_row(const ReportInput& input, const CellRow& cell, const EstimateRow& median) {
  const Measure measure = measure_of(median);
  const Scale scale = scale_for("s", measure.value.value_or(0.0));
  View row;
  row.set_text("cell", cell_name(input, cell));
  row.set_text("median", format_interval(measure, {.factor = scale.factor}));
  row.set_text("time_unit", scale.unit);
  row.set_text("achieved", median.lo ? format_decimals(100.0 * median.confidence, 1) : "");
  row.set_text("n", std::to_string(median.n));
  return row;
}

void fill_precision(View& view, const ReportInput& input, const Figures& /*figures*/) {
  bool has_shares = false;
  bool has_best = false;
  std::vector<Known> rows;
  View::List medians;
  for (const Group& group : group_cells(input)) {
    for (const CellRow* cell : group.cells) {
      const EstimateRow* mean = input.estimate(cell->id, names::kStepTime);
      if (mean == nullptr) {
        continue;
      }
      rows.push_back({cell, mean});
      const auto has = [&](Statistic name) {
        return measure_of(input.estimate(cell->id, names::kStepTime, name)).value.has_value();
      };
      has_shares = has_shares || has(Statistic::kBetweenTrialsShare);
      has_best = has_best || has(Statistic::kOptimalSteps);
      if (const EstimateRow* median =
              input.estimate(cell->id, names::kStepTime, Statistic::kMedian)) {
        medians.push_back(median_row(input, *cell, *median));
      }
    }
  }
  view.set_list("precision", one_table(precision_columns(input), rows));
  view.set_flag("tells_between_trials", has_shares);
  view.set_flag("tells_best_steps", has_best);
  view.set_list("medians", std::move(medians));
}

}  // namespace

Section precision_section() {
  using enum TagKind;
  Tags tags = table_tags("precision",
                         "how well each measured cell is known",
                         heads_of(precision_columns(empty_input())));
  tags.insert(
      tags.end(),
      {{"tells_between_trials", kFlag, "some share of the variance between trials is known"},
       {"tells_best_steps", kFlag, "some best number of steps is known"},
       {"medians", kList, "measured cells in which a slow trial stands out"},
       {"medians.cell", kText, "cell"},
       {"medians.median", kText, "median of the trial means [interval]"},
       {"medians.time_unit", kText, "its unit"},
       {"medians.achieved", kText, "confidence that the interval achieves, %; absent without one"},
       {"medians.n", kText, "trials used"}});
  return {tags, fill_precision};
}

}  // namespace scalestudy::report
