#include "harness/report/answer/cost_answers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/declared_prices.h"
#include "harness/report/answer/metric_answers.h"
#include "harness/report/answer/target_answers.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/store/cell_parameters.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// The metric of the cells of the group that keep the limits of the study and are under the same
// conditions as its first: a failure is no way to save money. Those without an interval are left
// out.
std::vector<const EstimateRow*> candidates(const ReportInput& input,
                                           const Group& group,
                                           const std::string& metric) {
  std::vector<const EstimateRow*> rows;
  const auto conditions = conditions_of(*group.cells.front(), input.declared);
  for (const CellRow* cell : group.cells) {
    const EstimateRow* row = input.estimate(cell->id, metric);
    if (row != nullptr && row->lo && input.has_claim(*cell) && keeps_limits(input, *cell) &&
        conditions_of(*cell, input.declared) == conditions) {
      rows.push_back(row);
    }
  }
  return rows;
}

// Whose verdicts decide which of two cells is the sooner, and the cheaper. An efficiency says
// nothing of prices a node.
std::vector<std::string> by_time() {
  return {names::kFastest, names::kSpeedup};
}

std::vector<std::string> by_cost(const ReportInput& input) {
  std::vector<std::string> quantities = {std::string(kCheapest)};
  if (input.declared.cost->price.per_node_hour == 0.0) {
    quantities.emplace_back(names::kEfficiency);
  }
  return quantities;
}

// Which of two trainings costs more. A line by the hour costs the more the longer it takes, which
// no verdict on the price of a sample knows: with one, the dearer is the later, unless its machines
// cost less an hour and no verdict says that its samples are dearer.
Decided decide_training_cost(const ReportInput& input,
                             const std::vector<const EstimateRow*>& rows) {
  const Decided samples = decide(input, rows, by_cost(input));
  const Cost& cost = *input.declared.cost;
  if (lines_per_hour(input) == 0.0) {
    return samples;
  }
  const auto an_hour = [&](std::int64_t id) {
    return cost.price.per_hour(input.cell(id).devices, input.cell(id).nodes);
  };
  Decided decided = decide(input, rows, by_time());
  std::erase_if(decided.above, [&](const auto& pair) {
    return an_hour(pair.first) < an_hour(pair.second) && !samples.above.contains(pair);
  });
  std::erase_if(decided.open, [&](const auto& pair) {
    return an_hour(pair.first) != an_hour(pair.second) && !samples.open.contains(pair);
  });
  return decided;
}

std::string amount(const ReportInput& input, const CellRow& cell, const std::string& metric) {
  return format_interval(measure_of(input.estimate(cell.id, metric)));
}

// ", batch 64": the end that the names of all cells have alike, whole words of it, also of those
// that the answer leaves out: the tables have them. "" without one, and for a single cell.
std::string shared_end(const ReportInput& input) {
  std::size_t cells = 0;
  std::string end;
  for (const Group& group : group_cells(input)) {
    for (const CellRow* cell : group.cells) {
      const std::string name = short_name(input, *cell);
      end = cells++ == 0 ? name : end;
      while (!end.empty() && !(name.ends_with(end) && end.starts_with(", "))) {
        end.erase(0, std::min(end.find(", ", 1), end.size()));
      }
    }
  }
  return cells < 2 ? "" : end;
}

// Among which settings: results of a search are only of those that ran on fresh blocks.
std::string among_text(const ReportInput& input) {
  return (input.declared.search ? " of the settings on fresh blocks" : "") + within_text(input);
}

// "soonest with 2 devices, 29.4 [28.3, 30.5] h for 176 [170, 183] USD; cheapest with 1 device, 46.7
// [44.7, 48.8] h for 140 [134, 146] USD (estimates, not tested)"; "" without a declared training.
std::string training_text(const ReportInput& input, const Group& group) {
  const auto hours = candidates(input, group, "training_hours");
  const auto costs = candidates(input, group, "training_cost");
  const auto soonest = leaders(hours, decide(input, hours, by_time()));
  const auto cheapest = leaders(costs, decide_training_cost(input, costs));
  if (soonest.empty() || cheapest.empty()) {
    return "";
  }
  const std::string among = among_text(input);
  if (std::min(soonest.size(), cheapest.size()) > kMostLeaders) {
    return say_leaders(input, soonest, "soonest or the cheapest" + among, {});
  }
  const auto amounts = [&](const CellRow& cell) {
    return fmt::format("{} h for {} {}",
                       amount(input, cell, "training_hours"),
                       amount(input, cell, "training_cost"),
                       input.declared.cost->currency);
  };
  const char* tie = lines_per_hour(input) == 0.0 ? kWithinNoise : "not certain which";
  const std::string end = shared_end(input);
  const bool is_one =
      std::ranges::equal(soonest, cheapest, {}, &EstimateRow::cell_id, &EstimateRow::cell_id);
  const std::string text =
      is_one ? say_leaders(input, soonest, "soonest and cheapest" + among, amounts, tie, end)
             : say_leaders(input, soonest, "soonest" + among, amounts, kWithinNoise, end) + "; " +
                   say_leaders(input, cheapest, "cheapest", amounts, tie, end);
  return text + (soonest.size() == 1 && cheapest.size() == 1 ? " (estimates, not tested)" : "");
}

// "cheapest with 2 devices, 0.613 [0.599, 0.627] USD per million tokens"; "" without a cost.
std::string unit_cost_text(const ReportInput& input, const Group& group) {
  for (const char* unit : {"tokens", "samples"}) {
    const std::string metric = std::string("cost_per_million_") + unit;
    const auto all = candidates(input, group, metric);
    if (const auto rows = leaders(all, decide(input, all, by_cost(input))); !rows.empty()) {
      return say_leaders(input, rows, "cheapest" + among_text(input), [&](const CellRow& cell) {
        return fmt::format("{} {} per million {}",
                           amount(input, cell, metric),
                           input.declared.cost->currency,
                           unit);
      });
    }
  }
  return "";
}

// What a pair's cell costs over its base.
struct Dearer {
  Measure factor;
  const Pair* pair = nullptr;
};

// What a training on the pair's cell costs over one on its base, by their estimates with all lines;
// absent if one is not known.
std::optional<double> training_ratio(const ReportInput& input, const Pair& pair) {
  const auto cost = [&](const CellRow& cell) {
    const EstimateRow* row = input.estimate(cell.id, "training_cost");
    return row == nullptr ? std::nullopt : row->value;
  };
  const std::optional<double> own = cost(*pair.cell);
  const std::optional<double> base = cost(*pair.base);
  return own && base ? std::optional(*own / *base) : std::nullopt;
}

// - more: what an hour costs over one of the base, with lines per hour if they count.
bool is_dearer(const ReportInput& input, const Pair& pair, double more, bool has_lines) {
  const std::optional<Cost>& declared = input.declared.cost;
  // If prices are per device, faster is dearer where the efficiency is below 1, and that has a
  // verdict.
  const ComparisonRow* efficiency = has_lines || (declared && declared->price.per_node_hour > 0.0)
                                        ? nullptr
                                        : input.comparison(pair.cell->id, names::kEfficiency);
  return efficiency != nullptr ? efficiency->verdict == Verdict::kSlower
                               : more > pair.speedup->hi.value_or(*pair.speedup->value);
}

// "1.385 [1.370, 1.400]" of one, and of several that all print so; else "1.385 [1.370, 1.400]
// (batch 256) to 1.799 [1.780, 1.818] (batch 88)".
std::string dearer_factor(const std::vector<Dearer>& dearer) {
  const auto [least, most] = std::ranges::minmax_element(
      dearer, {}, [](const Dearer& one) { return one.factor.value.value_or(0.0); });
  const std::string from = format_interval(least->factor);
  const std::string to = format_interval(most->factor);
  const auto place = [](const Dearer& one) {
    return one.pair->where.empty() ? "" : " (" + one.pair->where + ")";
  };
  return from == to ? from : from + place(*least) + " to " + to + place(*most);
}

// " at batch 256" of one; " in 2 of 3 faster pairs" of several, unless all pairs that are faster
// are dearer.
std::string dearer_where(const std::vector<Dearer>& dearer, const std::vector<const Pair*>& pairs) {
  const std::string& where = dearer.front().pair->where;
  if (dearer.size() == 1) {
    return where.empty() ? "" : " at " + where;
  }
  const auto faster = std::ranges::count_if(
      pairs, [](const Pair* pair) { return pair->speedup->verdict == Verdict::kFaster; });
  return std::ssize(dearer) == faster
             ? ""
             : fmt::format(" in {} of {} faster pairs", dearer.size(), faster);
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

std::string dearer_text(const ReportInput& input, const std::vector<const Pair*>& pairs) {
  const std::optional<Cost>& declared = input.declared.cost;
  const Pair& best = *pairs.back();
  const bool is_training = has_cost_lines(input) && training_ratio(input, best);
  const double lines = is_training ? lines_per_hour(input) : 0.0;
  const auto an_hour = [&](const Pair& pair) {
    const auto price = [&](const CellRow& cell) {
      return hourly(declared, cell.devices, cell.nodes) + lines;
    };
    return price(*pair.cell) / price(*pair.base);
  };
  const double more = an_hour(best);
  std::vector<Dearer> dearer;
  for (const Pair* pair : pairs) {
    const ComparisonRow& speedup = *pair->speedup;
    if (speedup.verdict != Verdict::kFaster || an_hour(*pair) != more ||
        !is_dearer(input, *pair, more, lines > 0.0)) {
      continue;
    }
    const auto cost = [&](std::optional<double> ratio) {
      return ratio ? std::optional(more / *ratio) : std::nullopt;
    };
    const Measure a_sample = {cost(speedup.value), cost(speedup.hi), cost(speedup.lo)};
    const Measure a_training = {training_ratio(input, *pair), {}, {}};
    dearer.push_back({is_training ? a_training : a_sample, pair});
  }
  if (dearer.empty()) {
    return "";
  }
  return fmt::format(
      "Faster is not cheaper: {}{} cost {} times as much per hour as {}, and{} {} {} {} times as "
      "much{}",
      is_training             ? "lines included, "
      : has_cost_lines(input) ? "machines only, "
                              : "",
      best.name,
      format_number(more),
      best.base_name,
      dearer_where(dearer, pairs),
      is_training ? "the training" : "a sample",
      declared ? "costs" : "takes",
      dearer_factor(dearer),
      declared ? "" : " device time");
}

}  // namespace scalestudy::report
