#include "harness/analysis/studies/published.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/cells/groups.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "stats/estimate.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// A result as the store names it.
struct StoredAs {
  std::string name;  // metric of an estimate, or quantity of a comparison
  bool is_comparison = false;
};

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kSuffixes{
    {{"s", "_s"}, {"B", "_bytes"}, {"B/s", "_bytes_per_s"}, {"FLOP", "_flop"}, {"W", "_w"}}};

// Metrics are named by quantity and unit: a latency in s is latency_s.
StoredAs stored_as(const PublishedFigureRow& figure) {
  if (figure.quantity == "overhead") {
    return {names::kOverhead, true};
  }
  if (figure.quantity == names::kSpeedup || figure.quantity == names::kEfficiency) {
    return {figure.quantity, true};
  }
  StoredAs stored{figure.quantity, false};
  for (const auto& [unit, suffix] : kSuffixes) {
    if (unit == figure.unit) {
      stored.name += suffix;
    }
  }
  return stored;
}

// The study, with its rows by what they are looked up by.
struct Measured {
  Scaling scaling = Scaling::kNone;
  bool is_collective = false;                             // the built-in workload
  std::map<std::string, std::string> published_as;        // what others call a value
  std::vector<const CellRow*> cells;                      // that claim anything
  std::map<std::int64_t, const CellRow*> any_cells;       // by id, controls too
  std::map<std::int64_t, EffectiveParameters> effective;  // of these
  std::set<std::string> names;                            // of metrics and quantities
  std::map<std::pair<std::int64_t, std::string>, const EstimateRow*> means;
  std::map<std::pair<std::int64_t, std::string>, const ComparisonRow*> comparisons;
};

Measured index_of(const StudyObservation& observation, const Study& study, const Results& results) {
  Measured measured;
  measured.scaling = observation.study.scaling;
  measured.is_collective = study.workload == Workload::kCollective;
  measured.published_as = study.published_as;
  for (const CellObservation& cell : observation.cells) {
    measured.any_cells.emplace(cell.row.id, &cell.row);
    measured.effective.emplace(cell.row.id, effective_parameters(cell.row, study));
    if (cell.row.role == CellRole::kMeasured) {
      measured.cells.push_back(&cell.row);
    }
  }
  for (const EstimateRow& row : results.estimates) {
    measured.names.insert(row.metric);
    if (row.statistic == Statistic::kMean && row.variant == Variant::kAll) {
      measured.means.emplace(std::pair(row.cell_id, row.metric), &row);
    }
  }
  for (const ComparisonRow& row : results.comparisons) {
    measured.names.insert(row.quantity);
    measured.comparisons.emplace(std::pair(row.cell_id, row.quantity), &row);
  }
  return measured;
}

template <typename Row>
const Row* find_row(const std::map<std::pair<std::int64_t, std::string>, const Row*>& rows,
                    const CellRow& cell,
                    const std::string& name) {
  const auto found = rows.find(std::pair(cell.id, name));
  return found == rows.end() || !found->second->value ? nullptr : found->second;
}

// What the study says of the cell under that name; empty when it says nothing.
std::string said_of(const Measured& measured, const CellRow& cell, const std::string& name) {
  if (name == "scaling" && measured.scaling != Scaling::kNone) {
    return to_word(measured.scaling);
  }
  // What nccl-tests says of each line, and all runs of `collective` have alike.
  static const std::map<std::string, std::string> kFixed{
      {"place", "out_of_place"}, {"precision", "fp32"}, {"redop", "sum"}, {"root", "0"}};
  if (const auto fixed = kFixed.find(name); measured.is_collective && fixed != kFixed.end()) {
    return fixed->second;
  }
  return effective_text(cell, measured.effective.at(cell.id), name);
}

bool is_same(const std::string& left, const std::string& right) {
  const std::optional<double> number = parse_number(left);
  return (number && number == parse_number(right)) ||
         std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         });
}

// A look at a narrower network has its model's name, and is another.
bool has_other_width(const Measured& measured, const CellRow& cell) {
  const EffectiveParameters& effective = measured.effective.at(cell.id);
  const auto width = effective.find("model.width");
  return width != effective.end() && !width->second.is_default;
}

bool agrees(const Measured& measured,
            const CellRow& cell,
            const std::map<std::string, std::string>& conditions) {
  if (conditions.contains(names::kModel) && !conditions.contains("model.width") &&
      has_other_width(measured, cell)) {
    return false;
  }
  return std::all_of(conditions.begin(), conditions.end(), [&](const auto& condition) {
    const std::string said = said_of(measured, cell, condition.first);
    const auto theirs = measured.published_as.find(said);
    return !said.empty() &&
           (is_same(said, condition.second) ||
            (theirs != measured.published_as.end() && is_same(theirs->second, condition.second)));
  });
}

// Whether a measured cell says anything under that name.
bool is_said(const Measured& measured, const std::string& name) {
  return std::any_of(measured.cells.begin(), measured.cells.end(), [&](const CellRow* cell) {
    return !said_of(measured, *cell, name).empty();
  });
}

CounterpartRow none(std::string reason) {
  CounterpartRow row;
  row.reason = std::move(reason);
  return row;
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

template <typename Row>
CounterpartRow counterpart_of(const Row& row, const PublishedFigureRow& figure, std::string unit) {
  CounterpartRow counterpart;
  counterpart.cell_id = row.cell_id;
  counterpart.value = row.value;
  counterpart.lo = row.lo;
  counterpart.hi = row.hi;
  counterpart.unit = std::move(unit);
  counterpart.n = row.n;
  set_ratio(counterpart, {.value = row.value, .lo = row.lo, .hi = row.hi}, figure);
  return counterpart;
}

constexpr const char* kNoValue = "no value was measured for this cell";

bool counts_tokens(const std::string& unit) {
  return unit.find("tok") != std::string::npos;
}

CounterpartRow from_estimate(const Measured& measured,
                             const CellRow& cell,
                             const std::string& metric,
                             const PublishedFigureRow& figure) {
  // Documents call tokens a throughput, too.
  const bool is_of_tokens = metric == names::kThroughput && counts_tokens(figure.printed_unit);
  const EstimateRow* tokens =
      is_of_tokens ? find_row(measured.means, cell, names::kTokensPerSecond) : nullptr;
  const EstimateRow* row = tokens != nullptr ? tokens : find_row(measured.means, cell, metric);
  if (row == nullptr) {
    return none(kNoValue);
  }
  if (figure.unit == "1/s" && counts_tokens(figure.printed_unit) != counts_tokens(row->unit)) {
    return none(fmt::format("measured in {}", row->unit));
  }
  return counterpart_of(*row, figure, row->unit);
}

CounterpartRow from_comparison(const Measured& measured,
                               const CellRow& cell,
                               const std::string& quantity,
                               const PublishedFigureRow& figure) {
  const ComparisonRow* row = find_row(measured.comparisons, cell, quantity);
  if (row == nullptr) {
    return none(kNoValue);
  }
  // An overhead is relative to the same cell without communication, whatever the document names.
  if (quantity != names::kOverhead) {
    const std::map<std::string, std::string> stated = parse_conditions(figure.baseline);
    if (stated.empty()) {
      return none("its baseline is not stated");
    }
    if (!agrees(measured, *measured.any_cells.at(row->baseline_cell_id), stated)) {
      return none("relative to another baseline");
    }
  }
  return counterpart_of(*row, figure, "");
}

// A throughput on several devices, of a number that the study did not run, beside the cell with
// most devices that agrees in all else: a device's share of each. The batch is that of a device
// then. One device, which exchanges nothing, stands beside none of several.
std::optional<CounterpartRow> per_device(const Measured& measured,
                                         const PublishedFigureRow& figure,
                                         std::map<std::string, std::string> conditions) {
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
  CounterpartRow row = from_estimate(measured, *most, names::kThroughput, figure);
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

CounterpartRow find_counterpart(const Measured& measured, const PublishedFigureRow& figure) {
  const StoredAs stored = stored_as(figure);
  if (!measured.names.contains(stored.name)) {
    CounterpartRow row = none("not measured by this study");
    row.is_measured_quantity = false;
    return row;
  }
  std::map<std::string, std::string> conditions = parse_conditions(figure.conditions);
  if (measured.is_collective) {
    conditions.erase("hardware");  // which nccl-tests always says, and the report names
    // NCCL chose these for the published run, as it did, unrecorded, for the measured one.
    std::erase_if(conditions,
                  [](const auto& one) { return one.first.starts_with(names::kTuning); });
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
  if (is_said(measured, names::kModel) && !conditions.contains(names::kModel)) {
    return none("the figure does not say: model");
  }
  std::vector<const CellRow*> fitting;
  std::copy_if(measured.cells.begin(),
               measured.cells.end(),
               std::back_inserter(fitting),
               [&](const CellRow* cell) { return agrees(measured, *cell, conditions); });
  if (fitting.empty()) {
    if (const auto row = per_device(measured, figure, conditions)) {
      return *row;
    }
  }
  if (fitting.size() != 1) {
    return none(fitting.empty() ? "no cell has these conditions"
                                : fmt::format("{} cells have these conditions", fitting.size()));
  }
  return stored.is_comparison ? from_comparison(measured, *fitting.front(), stored.name, figure)
                              : from_estimate(measured, *fitting.front(), stored.name, figure);
}

// W of a device that the publication declares: in a column of the figure's row, or in its text
// under conditions that are the figure's, too. Absent without any, and where it declares several.
std::optional<double> published_watts(const PublicationRow& publication,
                                      const PublishedFigureRow& figure) {
  const std::map<std::string, std::string> conditions = parse_conditions(figure.conditions);
  std::set<double> watts;
  for (const PublishedFigureRow& power : publication.figures) {
    if (power.quantity != "power_per_device" || !power.value) {
      continue;
    }
    const bool is_in_text =
        !power.row && std::ranges::includes(conditions, parse_conditions(power.conditions));
    const bool is_in_row =
        power.row && power.row == figure.row && power.table_name == figure.table_name;
    if (is_in_text || is_in_row) {
      watts.insert(*power.value);
    }
  }
  return watts.size() == 1 && *watts.begin() > 0.0 ? std::optional(*watts.begin()) : std::nullopt;
}

// Of a throughput, on a known number of devices or of one, what a watt of them does, as both
// declare it: without what a site uses beside its devices.
void set_per_watt(CounterpartRow& row,
                  const PublicationRow& publication,
                  const PublishedFigureRow& figure,
                  const Study& study) {
  const bool is_rate = figure.quantity == names::kThroughputPerDevice ||
                       (figure.quantity == names::kThroughput &&
                        parse_conditions(figure.conditions).contains(names::kDevices));
  if (!is_rate || !row.ratio || !study.cost || !study.cost->energy) {
    return;
  }
  row.published_watts = published_watts(publication, figure);
  if (!row.published_watts) {
    return;
  }
  const auto by_watt = [&](std::optional<double> ratio) {
    return ratio
               ? std::optional(*ratio * *row.published_watts / study.cost->energy->watts_per_device)
               : std::nullopt;
  };
  row.per_watt = by_watt(row.ratio);
  row.per_watt_lo = by_watt(row.ratio_lo);
  row.per_watt_hi = by_watt(row.ratio_hi);
}

}  // namespace

std::string measured_as(const PublishedFigureRow& figure, const CounterpartRow& counterpart) {
  const std::string name = stored_as(figure).name;
  return name == names::kThroughput && counts_tokens(counterpart.unit) ? names::kTokensPerSecond
                                                                       : name;
}

std::vector<CounterpartRow> find_counterparts(const std::vector<PublicationRow>& publications,
                                              const StudyObservation& observation,
                                              const Study& study,
                                              const Results& results) {
  std::vector<CounterpartRow> rows;
  const Measured measured = index_of(observation, study, results);
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
