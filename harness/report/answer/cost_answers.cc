#include "harness/report/answer/cost_answers.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/metric_answers.h"
#include "harness/report/answer/target_answers.h"
#include "harness/report/input/declared_prices.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/same_conditions.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

// The metric of the cells that keep the limits of the study. Those without an interval are left
// out.
std::vector<const EstimateRow*> candidates(const ReportInput& input,
                                           const std::vector<const CellRow*>& cells,
                                           const std::string& metric) {
  std::vector<const EstimateRow*> rows;
  for (const CellRow* cell : cells) {
    const EstimateRow* row = input.estimate(cell->id, metric);
    if (row != nullptr && row->lo && input.has_claim(*cell) && keeps_limits(input, *cell)) {
      rows.push_back(row);
    }
  }
  return rows;
}

// Whose verdicts decide which of two cells is the sooner.
std::vector<std::string> by_time() {
  return {names::kFastest, names::kSpeedup};
}

double machines_an_hour(const ReportInput& input, std::int64_t id) {
  return input.declared.cost->price.per_hour(input.cell(id).devices, input.cell(id).nodes);
}

// Which of two samples costs more. Cells that cost the same an hour are rarely compared by cost: of
// these the slower is the dearer. An efficiency says nothing of prices a node.
Decided decide_cost(const ReportInput& input, const std::vector<const EstimateRow*>& rows) {
  std::vector<std::string> quantities = {std::string(kCheapest)};
  if (input.declared.cost->price.per_node_hour == 0.0) {
    quantities.emplace_back(names::kEfficiency);
  }
  Decided decided = decide(input, rows, quantities);
  Decided sooner = decide(input, rows, by_time());
  for (auto pairs : {&Decided::above, &Decided::open}) {
    std::erase_if(sooner.*pairs, [&](const auto& pair) {
      return machines_an_hour(input, pair.first) != machines_an_hour(input, pair.second) ||
             decided.open.contains(std::minmax(pair.first, pair.second));
    });
    (decided.*pairs).merge(sooner.*pairs);
  }
  return decided;
}

// Which of two trainings costs more. A line by the hour costs the more the longer it takes, which
// no verdict on the price of a sample knows: with one, the dearer is the later, unless its machines
// cost less an hour and no verdict says that its samples are dearer.
Decided decide_training_cost(const ReportInput& input,
                             const std::vector<const EstimateRow*>& rows) {
  const Decided samples = decide_cost(input, rows);
  if (lines_per_hour(input) == 0.0) {
    return samples;
  }
  const auto an_hour = [&](std::int64_t id) { return machines_an_hour(input, id); };
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

// Among which settings: results of a search are only of those that ran on fresh blocks.
std::string among_text(const ReportInput& input) {
  return (input.declared.search ? " of the settings on fresh blocks" : "") + within_text(input);
}

// Whether verdicts put every other row above the leader. A training takes its steps' time, so a
// test of one is a test of the other.
bool is_tested(const std::vector<const EstimateRow*>& rows,
               const EstimateRow& leader,
               const Decided& decided) {
  return rows.size() > 1 && std::ranges::all_of(rows, [&](const EstimateRow* row) {
           return row->cell_id == leader.cell_id ||
                  std::ranges::any_of(decided.above,
                                      [&](const auto& pair) { return pair.first == row->cell_id; });
         });
}

// "soonest with 2 devices, 29.4 [28.3, 30.5] h for 176 [170, 183] USD; cheapest with 1 device, 46.7
// [44.7, 48.8] h for 140 [134, 146] USD", and " (estimates, not tested)" after the numbers of a
// cell that no verdict calls the soonest, or the cheapest, unless limits leave it alone; "" without
// a declared training.
std::string training_text(const ReportInput& input, const SameConditions& same) {
  const auto hours = candidates(input, same.cells, "training_hours");
  const auto costs = candidates(input, same.cells, "training_cost");
  const Decided sooner = decide(input, hours, by_time());
  const Decided cheaper = decide_training_cost(input, costs);
  const auto soonest = leaders(hours, sooner);
  const auto cheapest = leaders(costs, cheaper);
  if (soonest.empty() || cheapest.empty()) {
    return "";
  }
  const std::string among = among_text(input);
  const std::string end = said_end(input, same);
  const auto amounts = [&](const CellRow& cell) {
    return fmt::format("{} h for {} {}",
                       amount(input, cell, "training_hours"),
                       amount(input, cell, "training_cost"),
                       input.declared.cost->currency);
  };
  const CellRow& cheap = input.cell(cheapest.front()->cell_id);
  if (std::min(soonest.size(), cheapest.size()) > kMostLeaders) {
    return say_leaders(
               input, soonest, "soonest or the cheapest" + among, amounts, kNotCertain, end) +
           (soonest.front()->cell_id == cheap.id
                ? ""
                : ", and " + name_without(input, cheap, end) + ", " + amounts(cheap));
  }
  const std::string time_tie = tie_text(soonest, sooner);
  const bool is_cost_tested =
      lines_per_hour(input) == 0.0 || std::ranges::all_of(cheapest, [&](const EstimateRow* row) {
        return machines_an_hour(input, row->cell_id) == machines_an_hour(input, cheap.id);
      });
  const std::string cost_tie = is_cost_tested ? tie_text(cheapest, cheaper) : kNotCertain;
  const bool is_alone =  // by the limits
      std::ranges::count_if(same.cells,
                            [&](const CellRow* cell) { return keeps_limits(input, *cell); }) == 1;
  const bool is_certain = (soonest.size() > 1 || is_tested(hours, *soonest[0], sooner)) &&
                          (cheapest.size() > 1 || is_tested(costs, *cheapest[0], cheaper));
  const std::string note = is_alone || is_certain ? "" : " (estimates, not tested)";
  if (std::ranges::equal(soonest, cheapest, {}, &EstimateRow::cell_id, &EstimateRow::cell_id)) {
    const std::string tie = time_tie == cost_tie ? cost_tie : kNotCertain;
    return say_leaders(input, soonest, "soonest and cheapest" + among, amounts, tie, end) + note;
  }
  const bool is_first = cheapest.size() > 1;  // whose numbers the note is of
  const std::string among_all = cheapest.size() > kMostLeaders ? among : "";
  return say_leaders(input, soonest, "soonest" + among, amounts, time_tie, end) +
         (is_first ? note : "") + "; " +
         say_leaders(input, cheapest, "cheapest" + among_all, amounts, cost_tie, end) +
         (is_first ? "" : note);
}

// "cheapest with 2 devices, 0.613 [0.599, 0.627] USD per million tokens"; "" without a cost.
std::string unit_cost_text(const ReportInput& input, const std::vector<const CellRow*>& cells) {
  for (const char* unit : {"tokens", "samples"}) {
    const std::string metric = std::string("cost_per_million_") + unit;
    const auto all = candidates(input, cells, metric);
    const Decided cheaper = decide_cost(input, all);
    const auto price = [&](const CellRow& cell) {
      return fmt::format(
          "{} {} per million {}", amount(input, cell, metric), input.declared.cost->currency, unit);
    };
    if (const auto rows = leaders(all, cheaper); !rows.empty()) {
      return say_leaders(
          input, rows, "cheapest" + among_text(input), price, tie_text(rows, cheaper));
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
    for (const SameConditions& same : by_conditions(input, group.cells)) {
      const std::string training = training_text(input, same);
      const std::string text = training.empty() ? unit_cost_text(input, same.cells) : training;
      if (!text.empty()) {
        all.push_back({AnswerKind::kCost,
                       (training.empty() ? "Cost" : input.declared.cost->train->text) +
                           (group.label.empty() ? "" : ", " + group.label) +
                           (same.label.empty() ? "" : ", " + same.label),
                       text});
      }
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
