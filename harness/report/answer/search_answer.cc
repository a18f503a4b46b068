#include "harness/report/answer/search_answer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>

#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// A value of the axis, and how its trials ended.
struct Tried {
  double value = 0.0;
  const EstimateRow* fits = nullptr;
};

// "5 of 5 trials".
std::string count_text(const EstimateRow& fits, double share) {
  return fmt::format("{:.0f} of {}",
                     std::round(share * static_cast<double>(fits.n)),
                     format_count(fits.n, "trial"));
}

std::string name_of(const ReportInput& input, double value) {
  return name_parameter({.name = input.declared.largest->axis,
                         .value = format_axis_value(value),
                         .kind = ValueKind::kInteger,
                         .varied = true},
                        input.declared.labels);
}

// ", without a sign that memory ran out": a program may fail for another reason. "" if none did.
std::string other_failures(const ReportInput& input, std::int64_t cell_id) {
  bool ran_out = false;
  bool has_others = false;
  for (const TrialRow& trial : input.trials) {
    if (trial.cell_id == cell_id && is_unusable(trial.state)) {
      (trial.state == TrialState::kOom ? ran_out : has_others) = true;
    }
  }
  return !has_others ? ""
         : ran_out   ? ", not always with a sign that memory ran out"
                     : ", without a sign that memory ran out";
}

std::string describe(const ReportInput& input, const std::vector<Tried>& tried) {
  const auto fails = std::ranges::find_if(
      tried, [](const Tried& one) { return one.fits->value.value_or(0.0) < 1.0; });
  const std::string others =
      fails == tried.end() ? "" : other_failures(input, fails->fits->cell_id);
  const std::string beyond =
      fails == tried.end()
          ? fmt::format("nothing above {} was tried", name_of(input, tried.back().value))
          : fmt::format("{} {} in {}{}",
                        format_axis_value(fails->value),
                        others.empty() ? "did not fit" : "failed",
                        count_text(*fails->fits, 1.0 - fails->fits->value.value_or(0.0)),
                        others);
  if (fails == tried.begin()) {
    return "none of the batches that were tried; " + beyond;
  }
  const Tried& largest = *(fails - 1);
  return fmt::format(
      "{}: {} fit, so at least {} of launches do ({} confidence for this batch alone); {}",
      name_of(input, largest.value),
      count_text(*largest.fits, 1.0),
      format_share({.value = largest.fits->lo, .lo = {}, .hi = {}}, " %"),
      format_percent(largest.fits->confidence),
      beyond);
}

}  // namespace

std::vector<Answer> search_answer(const ReportInput& input) {
  const auto best =
      std::ranges::find(input.results.search_settings, true, &SearchSettingRow::is_recommended);
  return best == input.results.search_settings.end()
             ? std::vector<Answer>()
             : std::vector<Answer>{{AnswerKind::kUse, "Use", best->finding}};
}

std::vector<Answer> largest_fits(const ReportInput& input) {
  if (!input.declared.largest) {
    return {};
  }
  const std::string& axis = input.declared.largest->axis;
  std::map<std::string, std::vector<Tried>> curves;
  for (const CellRow& cell : input.cells) {
    const EstimateRow* fits = input.estimate(cell.id, names::kFitShare);
    const std::optional<double> value = axis_number(cell, axis);
    if (fits == nullptr || !value) {
      continue;
    }
    const std::string others = name_parameters(
        cell,
        [&](const CellRow::Parameter& parameter) { return parameter.name != axis; },
        input.declared.labels);
    curves[others].push_back({*value, fits});
  }
  std::vector<Answer> all;
  for (auto& [others, tried] : curves) {
    std::ranges::sort(tried, {}, &Tried::value);
    all.push_back({AnswerKind::kLargest,
                   "Largest that fits" + (others.empty() ? "" : ", " + others),
                   describe(input, tried)});
  }
  return all;
}

}  // namespace scalestudy::report
