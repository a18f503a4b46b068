// How well each cell is known, what stopped its trials, and what would make it known better.
#include "harness/base/number.h"
#include "harness/report/build_view.h"

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
  if (stop.status == "precision") {
    return "precision";
  }
  if (stop.status == "budget") {
    return "the number planned";
  }
  return stop.status == "time" ? "max_time" : "not yet";
}

// Whatever lies between trials is made smaller by more trials alone.
std::string advice(double between_share) {
  constexpr double half = 0.5;
  return between_share > half ? "more trials" : "more trials or steps";
}

View precision_row(const ReportInput& input, const CellRow& cell, const EstimateRow& mean) {
  const EstimateRow* stop = input.estimate(cell.id, "step_time_s", "relative_half_width");
  const EstimateRow* share = input.estimate(cell.id, "step_time_s", "between_trials_share");
  const EstimateRow* steps = input.estimate(cell.id, "step_time_s", "optimal_steps");
  const bool has_share = share != nullptr && share->value;
  View row;
  row.set_text("cell", cell.label);
  row.set_text("n", std::to_string(mean.n));
  row.set_text("half_width", half_width_text(mean));
  row.set_text("stopped_by", stop == nullptr ? "–" : stop_text(*stop));
  row.set_text("between_trials", has_share ? format_decimals(100.0 * *share->value, 0) : "–");
  row.set_text("advice", has_share ? advice(*share->value) : "–");
  row.set_text("best_steps",
               steps != nullptr && steps->value ? format_decimals(*steps->value, 0) : "–");
  return row;
}

View median_row(const CellRow& cell, const EstimateRow& median) {
  const Measure measure = measure_of(median);
  const Scale scale = scale_for("s", measure.value.value_or(0.0));
  View row;
  row.set_text("cell", cell.label);
  row.set_text("median", format_interval(measure, scale.factor));
  row.set_text("time_unit", scale.unit);
  row.set_text("achieved", median.lo ? format_decimals(100.0 * median.confidence, 1) : "");
  row.set_text("n", std::to_string(median.n));
  return row;
}

}  // namespace

View precision_view(const ReportInput& input) {
  View::List rows;
  View::List medians;
  for (const CellRow& cell : input.cells) {
    const EstimateRow* mean = input.estimate(cell.id, "step_time_s");
    if (cell.role != "measured" || mean == nullptr) {
      continue;
    }
    rows.push_back(precision_row(input, cell, *mean));
    if (const EstimateRow* median = input.estimate(cell.id, "step_time_s", "median")) {
      medians.push_back(median_row(cell, *median));
    }
  }
  View view;
  view.set_flag("is_adaptive", input.declared.trials.until.has_value());
  view.set_list("precision", std::move(rows));
  view.set_list("medians", std::move(medians));
  return view;
}

}  // namespace scalestudy::report
