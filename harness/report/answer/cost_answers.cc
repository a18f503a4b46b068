#include "harness/report/answer/cost_answers.h"

#include <string>

#include <fmt/format.h>

#include "harness/report/answer/target_answers.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/store/cell_parameters.h"
#include "harness/text/measure.h"

namespace scalestudy::report {
namespace {

// The cell of the group with the least of the metric, of those that keep the limits of the study
// and are under the same conditions as its first: a failure is no way to save money. nullptr where
// none has an interval.
const CellRow* least_of(const ReportInput& input, const Group& group, const std::string& metric) {
  const CellRow* least = nullptr;
  const auto value = [&](const CellRow* cell) { return *input.estimate(cell->id, metric)->value; };
  const auto conditions = conditions_of(*group.cells.front(), input.declared);
  for (const CellRow* cell : group.cells) {
    const EstimateRow* row = input.estimate(cell->id, metric);
    if (row != nullptr && row->lo && input.has_claim(*cell) && keeps_limits(input, *cell) &&
        conditions_of(*cell, input.declared) == conditions) {
      least = least == nullptr || value(cell) < value(least) ? cell : least;
    }
  }
  return least;
}

std::string amount(const ReportInput& input, const CellRow& cell, const std::string& metric) {
  return format_interval(measure_of(input.estimate(cell.id, metric)));
}

// "soonest with 2 devices, 29.4 [28.3, 30.5] h for 176 [170, 183] USD; cheapest with 1 device, 140
// [134, 146] USD in 46.7 [44.7, 48.8] h (estimates, not tested)"; "" without a declared training.
std::string training_text(const ReportInput& input, const Group& group) {
  const std::string currency = input.declared.cost->currency;
  const CellRow* soonest = least_of(input, group, "training_hours");
  const CellRow* cheapest = least_of(input, group, "training_cost");
  if (soonest == nullptr || cheapest == nullptr) {
    return "";
  }
  const std::string within = within_text(input);
  const std::string first = fmt::format("with {}, {} h for {} {}",
                                        short_name(input, *soonest),
                                        amount(input, *soonest, "training_hours"),
                                        amount(input, *soonest, "training_cost"),
                                        currency);
  return soonest == cheapest
             ? fmt::format("soonest and cheapest{} {} (estimates, not tested)", within, first)
             : fmt::format("soonest{} {}; cheapest with {}, {} {} in {} h (estimates, not tested)",
                           within,
                           first,
                           short_name(input, *cheapest),
                           amount(input, *cheapest, "training_cost"),
                           currency,
                           amount(input, *cheapest, "training_hours"));
}

// "0.613 [0.599, 0.627] USD per million tokens with 2 devices, the least estimate"; "" without a
// cost.
std::string unit_cost_text(const ReportInput& input, const Group& group) {
  for (const char* unit : {"tokens", "samples"}) {
    const std::string metric = std::string("cost_per_million_") + unit;
    if (const CellRow* cell = least_of(input, group, metric)) {
      return fmt::format("{} {} per million {} with {}, the least estimate{}",
                         amount(input, *cell, metric),
                         input.declared.cost->currency,
                         unit,
                         short_name(input, *cell),
                         within_text(input));
    }
  }
  return "";
}

}  // namespace

std::vector<Answer> cost_answers(const ReportInput& input) {
  constexpr std::size_t most_groups = 3;
  const std::vector<Group> groups = group_cells(input);
  if (!input.declared.cost || groups.size() > most_groups) {
    return {};
  }
  std::vector<Answer> all;
  for (const Group& group : groups) {
    const std::string training = training_text(input, group);
    const std::string text = training.empty() ? unit_cost_text(input, group) : training;
    if (!text.empty()) {
      all.push_back({AnswerKind::kCost,
                     (training.empty() ? "Cost" : input.declared.cost->train->text) +
                         (group.label.empty() ? "" : ", " + group.label),
                     text});
    }
  }
  return all;
}

}  // namespace scalestudy::report
