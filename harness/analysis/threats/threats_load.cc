// Threats from others who took part of the machine while trials ran, graded by what that did to the
// results.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "stats/shares.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr double kLoadShare = 0.03;  // of the cores

using LoadOf = std::function<std::optional<double>(const TrialObservation&)>;  // in cores' worth
using IsLoaded = std::function<bool(const TrialObservation&)>;

CellObservation without_loaded(CellObservation cell, const IsLoaded& is_loaded) {
  std::erase_if(cell.trials, is_loaded);
  return cell;
}

// Largest change of the results that leaving the loaded trials out would make, as a log ratio, and
// the first result that it changes by too much or that cannot be judged.
struct Shift {
  double largest = 0.0;
  const CellObservation* changed = nullptr;
  double change = 0.0;                    // of `changed`
  const CellObservation* none = nullptr;  // without enough trials beside the loaded ones
};

// A shift of at most a quarter of the interval's half-width and half the margin changes no answer.
void add_shift(const CellObservation& cell,
               const std::optional<double>& shift,
               const std::optional<double>& lo,
               const std::optional<double>& hi,
               double margin,
               Shift& all) {
  if (!shift || !lo || !hi || !(*lo > 0.0)) {
    all.none = all.none == nullptr ? &cell : all.none;
    return;
  }
  all.largest = std::abs(*shift) > std::abs(all.largest) ? *shift : all.largest;
  const double half_width = 0.5 * std::log(*hi / *lo);
  const bool is_small = std::abs(*shift) <= std::min(0.25 * half_width, 0.5 * std::log1p(margin));
  if (!is_small && all.changed == nullptr) {
    all.changed = &cell;
    all.change = *shift;
  }
}

std::optional<double> mean_time(const CellObservation& cell) {
  double sum = 0.0;
  std::size_t count = 0;
  for (const TrialObservation& trial : cell.trials) {
    if (const auto time = trial.metrics.find(kStepTime); time != trial.metrics.end()) {
      sum += time->second.mean;
      ++count;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

std::optional<double> log_change(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b && *a > 0.0 && *b > 0.0 ? std::optional(std::log(*a / *b)) : std::nullopt;
}

// Of speedups on common blocks, with and without; of step times where a cell has no speedup.
Shift shift_of(const StudyObservation& observation,
               const Study& study,
               const Results& results,
               const IsLoaded& is_loaded) {
  Shift all;
  std::map<std::int64_t, const CellObservation*> cells;
  for (const CellObservation& cell : observation.cells) {
    cells[cell.row.id] = &cell;
  }
  const auto has_loaded = [&](const CellObservation* cell) {
    return std::ranges::any_of(cell->trials, is_loaded);
  };
  std::set<std::int64_t> compared;
  for (const ComparisonRow& row : results.comparisons) {
    if (row.quantity != names::kSpeedup || !row.value || !cells.contains(row.cell_id) ||
        !cells.contains(row.baseline_cell_id)) {
      continue;
    }
    compared.insert({row.cell_id, row.baseline_cell_id});
    const CellObservation* cell = cells[row.cell_id];
    const CellObservation* base = cells[row.baseline_cell_id];
    if (has_loaded(cell) || has_loaded(base)) {
      const TimeRatio with = time_ratio(*base, *cell, 1.0, study);
      const TimeRatio without = time_ratio(
          without_loaded(*base, is_loaded), without_loaded(*cell, is_loaded), 1.0, study);
      add_shift(*cell,
                log_change(without.interval.ratio, with.interval.ratio),
                row.lo,
                row.hi,
                study.analysis.margin,
                all);
    }
  }
  for (const EstimateRow& row : results.estimates) {
    const auto cell = cells.find(row.cell_id);
    if (row.metric == kStepTime && row.statistic == Statistic::kMean &&
        row.variant == Variant::kAll && cell != cells.end() && !compared.contains(row.cell_id) &&
        has_loaded(cell->second)) {
      add_shift(
          *cell->second,
          log_change(mean_time(without_loaded(*cell->second, is_loaded)), mean_time(*cell->second)),
          row.lo,
          row.hi,
          study.analysis.margin,
          all);
    }
  }
  return all;
}

// p value of the loaded trials being spread by chance over the groups that `group_of` makes of
// cells; blocks are in random order, other orders are taken as one.
std::optional<double> spread_p(const StudyObservation& observation,
                               const Study& study,
                               const IsLoaded& is_loaded,
                               const std::function<std::int64_t(const CellRow&)>& group_of) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<stats::Mark>> strata;
  std::map<std::int64_t, std::size_t> groups;
  const bool is_batch = study.order.design == OrderDesign::kBatch;
  for (const CellObservation& cell : observation.cells) {
    const std::size_t group = groups.emplace(group_of(cell.row), groups.size()).first->second;
    for (const TrialObservation& trial : cell.trials) {
      strata[is_batch ? std::pair<std::string, std::int64_t>()
                      : std::pair(trial.row.plan, trial.row.block)]
          .push_back({.group = group, .is_marked = is_loaded(trial)});
    }
  }
  std::vector<std::vector<stats::Mark>> all;
  for (auto& [place, marks] : strata) {
    all.push_back(std::move(marks));
  }
  constexpr std::uint64_t seed = 20140328;  // of drawn permutations: equal stores, equal reports
  return stats::equal_shares(all, seed).p;
}

struct Effect {
  bool is_harmless = false;
  std::string words;
};

Effect effect_of(const StudyObservation& observation,
                 const Study& study,
                 const Results& results,
                 const LoadOf& load_of,
                 const IsLoaded& is_loaded) {
  const bool is_known = std::ranges::all_of(observation.cells, [&](const CellObservation& cell) {
    return std::ranges::all_of(
        cell.trials, [&](const TrialObservation& trial) { return load_of(trial).has_value(); });
  });
  if (!is_known) {
    return {false, "How much they took during other trials is unknown."};
  }
  const auto cell_p =
      spread_p(observation, study, is_loaded, [](const CellRow& cell) { return cell.id; });
  const auto side_p =
      spread_p(observation, study, is_loaded, [](const CellRow& cell) { return cell.devices; });
  const double p = std::min(cell_p.value_or(1.0), side_p.value_or(1.0));
  if (p < kThreatAlpha) {
    return {false,
            fmt::format("They met some cells more often than chance explains ({}), which biases "
                        "comparisons.",
                        say_p_value(p))};
  }
  const Shift shift = shift_of(observation, study, results, is_loaded);
  const auto percent = [](double log_shift) {
    return format_plain(100.0 * std::abs(std::expm1(log_shift))) + " %";
  };
  if (shift.none != nullptr) {
    return {false,
            fmt::format("Too few undisturbed trials are left to say what that did to {}.",
                        describe_cell(shift.none->row))};
  }
  if (shift.changed != nullptr) {
    return {false,
            fmt::format("Without them the result of {} would change by {}.",
                        describe_cell(shift.changed->row),
                        percent(shift.change))};
  }
  return {
      true,
      fmt::format("Without them no result would change by more than {}.", percent(shift.largest))};
}

void add_load(const StudyObservation& observation,
              const Study& study,
              const Results& results,
              ThreatKind kind,
              const std::string& who,
              const LoadOf& load_of,
              std::vector<ThreatRow>& threats) {
  const double cores = observation.cores.value_or(1.0);
  const IsLoaded is_loaded = [&](const TrialObservation& trial) {
    return load_of(trial).value_or(0.0) > kLoadShare * cores;
  };
  std::int64_t trials = 0;
  std::int64_t loaded = 0;
  double worst = 0.0;
  for (const CellObservation& cell : observation.cells) {
    trials += std::ssize(cell.trials);
    loaded += std::ranges::count_if(cell.trials, is_loaded);
    for (const TrialObservation& trial : cell.trials) {
      worst = std::max(worst, load_of(trial).value_or(0.0));
    }
  }
  if (loaded == 0) {
    return;
  }
  const std::string machine = observation.cores
                                  ? "the " + format_count(static_cast<std::int64_t>(cores), "core")
                                  : "one core (how many the machine has was not recorded)";
  const Effect effect = effect_of(observation, study, results, load_of, is_loaded);
  // A trial in twenty moves no mean by much, and stands out by itself where it does.
  constexpr std::int64_t few = 20;
  threats.push_back(
      {kind,
       effect.is_harmless || few * loaded <= trials ? Severity::kNote : Severity::kWarning,
       fmt::format("{} of {} ran while {} took more than {} of {}; at worst {} cores' worth ({} "
                   "%). Those trials are included. {}",
                   loaded,
                   format_count(trials, "trial"),
                   who,
                   format_percent(kLoadShare),
                   machine,
                   format_plain(worst),
                   format_plain(100.0 * worst / cores),
                   effect.words)});
}

}  // namespace

std::vector<ThreatRow> load_threats(const StudyObservation& observation,
                                    const Study& study,
                                    const Results& results) {
  std::vector<ThreatRow> threats;
  if (study.is_remote()) {
    return threats;
  }
  add_load(
      observation,
      study,
      results,
      ThreatKind::kForeignLoad,
      "other processes",
      [](const TrialObservation& trial) { return trial.row.foreign_load; },
      threats);
  add_load(
      observation,
      study,
      results,
      ThreatKind::kSteal,
      "other virtual machines of the host",
      [&](const TrialObservation& trial) -> std::optional<double> {
        const auto found = observation.steal.find(trial.row.id);
        return found == observation.steal.end() ? std::nullopt
                                                : std::optional<double>(found->second);
      },
      threats);
  return threats;
}

}  // namespace scalestudy
