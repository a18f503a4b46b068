#include "harness/analysis/studies/published.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/studies/equal_quantities.h"
#include "harness/analysis/studies/per_watt.h"
#include "harness/text/json.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "stats/estimate.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

CounterpartRow none(std::string reason) {
  CounterpartRow row;
  row.reason = std::move(reason);
  return row;
}

std::string conditions_text(const FigureConditions& conditions) {
  JsonText object = JsonText::object();
  for (const auto& [name, value] : conditions) {
    object[name] = value;
  }
  return object.dump();
}

// Measured over published; `each` is what one published unit is divided by, 1 as printed.
void set_ratio(CounterpartRow& row,
               const stats::Estimate& measured,
               const PublishedFigureRow& figure,
               double each = 1.0) {
  if (!figure.value || !(*figure.value > 0.0)) {
    return;
  }
  const auto over = [&](std::optional<double> value) {
    return value ? std::optional(*value / (*figure.value / each)) : std::nullopt;
  };
  row.ratio = over(measured.value);
  row.ratio_lo = over(measured.lo);
  row.ratio_hi = over(measured.hi);
}

constexpr const char* kNoValue = "no value was measured for this cell";
constexpr const char* kAny = "*";  // of an assumption: the condition does not matter

// The row of that name; nullptr without a value.
template <typename Row>
const Row* find_row(const std::map<std::pair<std::int64_t, std::string>, const Row*>& rows,
                    const CellRow& cell,
                    const std::string& name) {
  const auto found = rows.find(std::pair(cell.id, name));
  return found == rows.end() || !found->second->value ? nullptr : found->second;
}

std::optional<double> converted(const EqualResult& equal,
                                double factor,
                                std::optional<double> result) {
  if (!result) {
    return std::nullopt;
  }
  switch (equal.conversion) {
    case Conversion::kFactor:
      return factor * *result;
    case Conversion::kSaving:
      return 1.0 - *result;
    case Conversion::kChange:
      return *result - 1.0;
  }
  return std::nullopt;
}

template <typename Row>
CounterpartRow counterpart_of(const Row& row,
                              const EqualResult& equal,
                              const CellRow& cell,
                              const PublishedFigureRow& figure,
                              const std::string& unit) {
  const std::optional<double> factor = equal.factor(cell);
  if (!factor) {
    return none("the study declares no epoch to convert it by");
  }
  CounterpartRow counterpart;
  counterpart.cell_id = row.cell_id;
  counterpart.value = converted(equal, *factor, row.value);
  counterpart.lo = converted(equal, *factor, row.lo);
  counterpart.hi = converted(equal, *factor, row.hi);
  if (equal.conversion == Conversion::kSaving) {
    std::swap(counterpart.lo, counterpart.hi);
  }
  counterpart.unit = equal.is_as_stored ? unit : figure.unit;
  counterpart.n = row.n;
  counterpart.metric = equal.name;
  counterpart.note = equal.note;
  set_ratio(counterpart, {counterpart.value, counterpart.lo, counterpart.hi}, figure);
  return counterpart;
}

CounterpartRow from_comparison(const MeasuredStudy& measured,
                               const CellRow& cell,
                               const EqualResult& equal,
                               const FigureConditions& baseline,
                               const PublishedFigureRow& figure) {
  const ComparisonRow* row = find_row(measured.comparisons, cell, equal.name);
  if (row == nullptr) {
    return none(kNoValue);
  }
  // An overhead is relative to the same cell without communication, whatever the document names.
  if (equal.name != names::kOverhead) {
    if (baseline.empty()) {
      return none("its baseline is not stated");
    }
    if (!agrees(measured, *measured.any_cells.at(row->baseline_cell_id), baseline)) {
      return none("relative to another baseline");
    }
  }
  return counterpart_of(*row, equal, cell, figure, "");
}

CounterpartRow from_estimate(const MeasuredStudy& measured,
                             const CellRow& cell,
                             const EqualResult& equal,
                             const PublishedFigureRow& figure) {
  const EstimateRow* row = find_row(measured.means, cell, equal.name);
  return row == nullptr ? none(kNoValue) : counterpart_of(*row, equal, cell, figure, row->unit);
}

// A throughput on several devices, of a number that the study did not run, beside the cell with
// most devices that agrees in all else: a device's share of each. The batch is that of a device
// then. One device, which exchanges nothing, stands beside none of several.
std::optional<CounterpartRow> per_device(const MeasuredStudy& measured,
                                         const PublishedFigureRow& figure,
                                         const EqualResult& equal,
                                         FigureConditions conditions) {
  const std::optional<double> devices = parse_number(conditions[names::kDevices]);
  if (figure.quantity != names::kThroughput || !devices || !(*devices > 1.0)) {
    return std::nullopt;
  }
  conditions.erase(names::kDevices);
  conditions.erase(names::kNodes);
  if (const auto batch = conditions.find(names::kBatchGlobal); batch != conditions.end()) {
    const double each = parse_number(batch->second).value_or(0.0) / *devices;
    conditions.erase(batch);
    conditions[names::kBatchPerDevice] = fmt::format("{}", each);
  }
  const CellRow* most = nullptr;
  for (const CellRow* cell : measured.cells) {
    if (agrees(measured, *cell, conditions) && !cell->oversubscribed && cell->devices > 1 &&
        (most == nullptr || cell->devices > most->devices)) {
      most = cell;
    }
  }
  if (most == nullptr) {
    return std::nullopt;
  }
  CounterpartRow row = from_estimate(measured, *most, equal, figure);
  if (!row.cell_id) {
    return std::nullopt;
  }
  const auto share = [&](std::optional<double> value) {
    return value ? std::optional(*value / static_cast<double>(most->devices)) : std::nullopt;
  };
  const stats::Estimate each = {share(row.value), share(row.lo), share(row.hi)};
  set_ratio(row, each, figure, *devices);
  row.per_device = true;
  return row;
}

// A figure with the conditions that a cell must have, and what was assumed for that.
struct Asked {
  PublishedFigureRow figure;
  FigureConditions conditions;
  FigureConditions baseline;
  FigureConditions assumed;
  std::string contradiction;  // an assumption that the figure contradicts; empty: none
};

// An assumption fills in what one side does not say: a condition of the figure, or one that the
// study has no word for, which its cells are then taken to have.
void assume(const MeasuredStudy& measured,
            const std::string& name,
            const std::string& value,
            FigureConditions& conditions,
            Asked& asked,
            const std::string& prefix = "") {
  const bool is_any = value == kAny;
  const bool does_study_say = is_said(measured, name);
  const auto stated = conditions.find(name);
  if (stated == conditions.end()) {
    if (does_study_say) {
      asked.assumed[prefix + name] = value;
    }
    if (does_study_say && !is_any) {
      conditions[name] = value;
    }
  } else if (is_any || (!does_study_say && is_same(stated->second, value))) {
    asked.assumed[prefix + name] = value;
    conditions.erase(stated);
  } else if (!does_study_say) {
    asked.contradiction =
        fmt::format("its {} is {}, not {} as assumed", name, stated->second, value);
  }
}

Asked with_assumptions(const MeasuredStudy& measured, Asked asked) {
  constexpr std::string_view of_baseline = "baseline.";
  for (const auto& [name, value] : parse_conditions(asked.figure.assumed)) {
    if (name == "unit") {
      continue;  // ask() knows it before it looks for a result
    }
    if (name.starts_with(of_baseline)) {
      assume(measured,
             name.substr(of_baseline.size()),
             value,
             asked.baseline,
             asked,
             std::string(of_baseline));
    } else {
      assume(measured, name, value, asked.conditions, asked);
    }
  }
  return asked;
}

bool is_rate_without_unit(const PublishedFigureRow& figure) {
  return figure.quantity == names::kThroughput && figure.printed_unit.empty();
}

Asked ask(const MeasuredStudy& measured, const PublishedFigureRow& figure) {
  Asked asked;
  asked.figure = figure;
  asked.conditions = parse_conditions(figure.conditions);
  asked.baseline = parse_conditions(figure.baseline);
  const FigureConditions assumed = parse_conditions(figure.assumed);
  if (const auto unit = assumed.find("unit");
      unit != assumed.end() && is_rate_without_unit(figure)) {
    asked.figure.printed_unit = unit->second;
    asked.assumed["unit"] = unit->second;
  }
  if (measured.is_collective) {
    asked.conditions.erase("hardware");  // which nccl-tests always says, and the report names
    // NCCL chose these for the published run, as it did, unrecorded, for the measured one.
    std::erase_if(asked.conditions,
                  [](const auto& one) { return one.first.starts_with(names::kTuning); });
  }
  return asked;
}

// By the symbol or code beside the number, which may have a multiplier ("$M").
bool is_in_other_currency(const Study& study, const PublishedFigureRow& figure) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> known{
      {{"$", "USD"}, {"€", "EUR"}, {"£", "GBP"}}};
  if (figure.unit != "currency" || !study.cost) {
    return false;
  }
  const std::string_view unit = figure.printed_unit;
  return std::ranges::any_of(known, [&](const auto& one) {
    const auto& [symbol, code] = one;
    return (unit.starts_with(symbol) || unit.ends_with(code)) && study.cost->currency != code;
  });
}

// Whether every cell has the same value, as cells of one model have as many parameters.
bool is_constant(const MeasuredStudy& measured,
                 const std::vector<const CellRow*>& cells,
                 const EqualResult& equal) {
  const EstimateRow* first =
      equal.is_comparison ? nullptr : find_row(measured.means, *cells.front(), equal.name);
  return first != nullptr && std::ranges::all_of(cells, [&](const CellRow* cell) {
           const EstimateRow* row = find_row(measured.means, *cell, equal.name);
           return row != nullptr && row->value == first->value && row->lo == row->hi;
         });
}

CounterpartRow beside_cell(const MeasuredStudy& measured,
                           const EqualResult& equal,
                           const Asked& asked) {
  const FigureConditions& conditions = asked.conditions;
  if (!asked.contradiction.empty()) {
    return none(asked.contradiction);
  }
  if (conditions.empty()) {
    return none("no conditions are stated");
  }
  std::vector<std::string> unknown;
  for (const auto& condition : conditions) {
    if (!is_said(measured, condition.first)) {
      unknown.push_back(condition.first);
    }
  }
  if (!unknown.empty()) {
    return none(fmt::format("this study does not say: {}", join(unknown, ", ")));
  }
  // Documents leave much unsaid, but times of two models are two quantities.
  if (is_said(measured, names::kModel) && !conditions.contains(names::kModel) &&
      !asked.assumed.contains(names::kModel)) {
    return none("the figure does not say: model");
  }
  std::vector<const CellRow*> fitting;
  std::copy_if(measured.cells.begin(),
               measured.cells.end(),
               std::back_inserter(fitting),
               [&](const CellRow* cell) { return agrees(measured, *cell, conditions); });
  if (fitting.empty()) {
    if (const auto row = per_device(measured, asked.figure, equal, conditions)) {
      return *row;
    }
    return none("no cell has these conditions");
  }
  if (fitting.size() > 1 && !is_constant(measured, fitting, equal)) {
    return none(several_agree(measured, fitting));
  }
  return equal.is_comparison
             ? from_comparison(measured, *fitting.front(), equal, asked.baseline, asked.figure)
             : from_estimate(measured, *fitting.front(), equal, asked.figure);
}

CounterpartRow find_counterpart(const MeasuredStudy& measured, const PublishedFigureRow& figure) {
  CounterpartRow unmeasured = none(never_compared(figure));
  unmeasured.is_measured_quantity = false;
  if (!unmeasured.reason.empty()) {
    return unmeasured;
  }
  const Asked asked = ask(measured, figure);
  if (is_rate_without_unit(asked.figure) && measured.names.contains(names::kTokensPerSecond)) {
    return none("the figure does not say: unit");
  }
  if (is_in_other_currency(*measured.study, figure)) {
    return none("in another currency than the prices of this study");
  }
  for (const EqualResult& equal : equal_results(measured, asked.figure, asked.conditions)) {
    if (!measured.names.contains(equal.name)) {
      continue;
    }
    Asked of_result = asked;
    of_result.conditions = equal.conditions;
    of_result = with_assumptions(measured, std::move(of_result));
    CounterpartRow row = beside_cell(measured, equal, of_result);
    row.assumed = row.cell_id ? conditions_text(of_result.assumed) : "{}";
    return row;
  }
  unmeasured.reason = "not measured by this study";
  return unmeasured;
}

}  // namespace

bool is_measured_as(const MeasuredStudy& measured,
                    const PublishedFigureRow& figure,
                    const std::string& metric) {
  const std::vector<EqualResult> results =
      equal_results(measured, figure, parse_conditions(figure.conditions));
  return std::ranges::any_of(results, [&](const EqualResult& result) {
    return result.name == metric && result.is_as_stored;
  });
}

std::vector<CounterpartRow> find_counterparts(const std::vector<PublicationRow>& publications,
                                              const StudyObservation& observation,
                                              const Study& study,
                                              const Results& results) {
  std::vector<CounterpartRow> rows;
  if (publications.empty()) {
    return rows;
  }
  const MeasuredStudy measured = index_study(observation, study, results);
  for (const PublicationRow& publication : publications) {
    for (const PublishedFigureRow& figure : publication.figures) {
      rows.push_back(is_emulated(observation, study)
                         ? none("this study is emulated, it measures nothing")
                         : find_counterpart(measured, figure));
      rows.back().figure_id = figure.id;
      set_per_watt(rows.back(), publication, figure, study);
    }
  }
  return rows;
}

}  // namespace scalestudy
