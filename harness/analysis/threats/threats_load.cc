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
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "stats/event_effect.h"
#include "stats/shares.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr double kLoadShare = 0.03;  // of the cores

using LoadOf = std::function<std::optional<double>(const TrialObservation&)>;  // in cores' worth
using IsLoaded = std::function<bool(const TrialObservation&)>;

// Trials of one block have equal numbers; those of an order without blocks all have one.
class Blocks {
 public:
  explicit Blocks(const Study& study) : is_batch_(study.order.design == OrderDesign::kBatch) {}

  std::int64_t of(const TrialRow& trial) {
    const auto place =
        is_batch_ ? std::pair<std::string, std::int64_t>() : std::pair(trial.plan, trial.block);
    return numbers_.emplace(place, std::ssize(numbers_)).first->second;
  }

 private:
  bool is_batch_;
  std::map<std::pair<std::string, std::int64_t>, std::int64_t> numbers_;
};

// By how much the load lengthened the loaded trials of each cell at most, as a log ratio.
stats::EventEffect slowdowns(const StudyObservation& observation,
                             const Study& study,
                             const IsLoaded& is_loaded) {
  Blocks blocks(study);
  std::vector<stats::MetValue> values;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      const auto time = trial.metrics.find(kStepTime);
      if (time != trial.metrics.end() && time->second.mean > 0.0) {
        values.push_back({.y = std::log(time->second.mean),
                          .cell = cell.row.id,
                          .block = blocks.of(trial.row),
                          .is_met = is_loaded(trial)});
      }
    }
  }
  constexpr double level = 0.9;  // more warns oftener of load that did nothing, less misses some
  return stats::event_effect(values, level);
}

// The largest change of a result by the load, as a log ratio, and the first result that it changes
// by too much.
struct Shift {
  double largest = 0.0;
  double longest = 0.0;  // by which the load lengthened the step time of a cell that has a speedup
  const CellObservation* changed = nullptr;
  double change = 0.0;  // of `changed`
};

// A shift of at most a quarter of the interval's half-width and half the margin changes no answer.
void add_shift(const CellObservation& cell,
               double shift,
               const std::optional<double>& lo,
               const std::optional<double>& hi,
               double margin,
               Shift& all) {
  all.largest = std::max(all.largest, std::abs(shift));
  const double half_width = lo && hi && *lo > 0.0 ? 0.5 * std::log(*hi / *lo) : 0.0;
  const bool is_small = std::abs(shift) <= std::min(0.25 * half_width, 0.5 * std::log1p(margin));
  if (!is_small && all.changed == nullptr) {
    all.changed = &cell;
    all.change = shift;
  }
}

// Of speedups, and of step times where a cell has no speedup.
Shift shift_of(const StudyObservation& observation,
               const Study& study,
               const Results& results,
               const std::map<std::int64_t, double>& slowdown,
               const IsLoaded& is_loaded) {
  std::map<std::int64_t, const CellObservation*> cells;
  for (const CellObservation& cell : observation.cells) {
    cells[cell.row.id] = &cell;
  }
  // The logarithm of the mean time of the trials that count over what it would be without load.
  const auto lengthened = [&](std::int64_t cell_id, const auto& counts) {
    double loaded = 0.0;
    double trials = 0.0;
    for (const TrialObservation& trial : cells.at(cell_id)->trials) {
      trials += counts(trial) ? 1.0 : 0.0;
      loaded += counts(trial) && is_loaded(trial) ? 1.0 : 0.0;
    }
    const auto found = slowdown.find(cell_id);
    return trials == 0.0 || found == slowdown.end()
               ? 0.0
               : std::log1p(loaded / trials * std::expm1(std::max(0.0, found->second)));
  };
  Shift all;
  std::set<std::int64_t> compared;
  for (const ComparisonRow& row : results.comparisons) {
    if (row.quantity != names::kSpeedup || !row.value || !cells.contains(row.cell_id) ||
        !cells.contains(row.baseline_cell_id)) {
      continue;
    }
    compared.insert({row.cell_id, row.baseline_cell_id});
    const auto among = [](const TrialIds& ids) {
      return [counted = std::set<std::int64_t>(ids.begin(), ids.end())](
                 const TrialObservation& trial) { return counted.contains(trial.row.id); };
    };
    add_shift(*cells.at(row.cell_id),
              lengthened(row.baseline_cell_id, among(row.baseline_trials)) -
                  lengthened(row.cell_id, among(row.trials)),
              row.lo,
              row.hi,
              study.analysis.margin,
              all);
  }
  for (const EstimateRow& row : results.estimates) {
    if (row.metric != kStepTime || row.statistic != Statistic::kMean ||
        row.variant != Variant::kAll || !cells.contains(row.cell_id)) {
      continue;
    }
    const double longer = lengthened(row.cell_id, [](const TrialObservation&) { return true; });
    if (compared.contains(row.cell_id)) {
      all.longest = std::max(all.longest, longer);
    } else {
      add_shift(*cells.at(row.cell_id), longer, row.lo, row.hi, study.analysis.margin, all);
    }
  }
  return all;
}

// A cell whose trials all met load, so that nothing says how long they would have taken.
const CellObservation* without_quiet(const StudyObservation& observation,
                                     const IsLoaded& is_loaded) {
  const auto found = std::ranges::find_if(observation.cells, [&](const CellObservation& cell) {
    return !cell.trials.empty() && std::ranges::all_of(cell.trials, is_loaded);
  });
  return found == observation.cells.end() ? nullptr : &*found;
}

// p value of the loaded trials being spread by chance over the groups that `group_of` makes of
// cells; blocks are in random order, other orders are taken as one.
std::optional<double> spread_p(const StudyObservation& observation,
                               const Study& study,
                               const IsLoaded& is_loaded,
                               const std::function<std::int64_t(const CellRow&)>& group_of) {
  std::map<std::int64_t, std::vector<stats::Mark>> strata;
  std::map<std::int64_t, std::size_t> groups;
  Blocks blocks(study);
  for (const CellObservation& cell : observation.cells) {
    const std::size_t group = groups.emplace(group_of(cell.row), groups.size()).first->second;
    for (const TrialObservation& trial : cell.trials) {
      strata[blocks.of(trial.row)].push_back({.group = group, .is_marked = is_loaded(trial)});
    }
  }
  std::vector<std::vector<stats::Mark>> all;
  for (auto& [block, marks] : strata) {
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
    return {
        false,
        fmt::format("Such load met some cells more often than chance explains ({}), which biases "
                    "comparisons.",
                    say_p_value(p))};
  }
  if (const CellObservation* cell = without_quiet(observation, is_loaded)) {
    return {false,
            fmt::format("Such load met all trials of {}, so nobody can say what it did to them.",
                        describe_cell(cell->row))};
  }
  const stats::EventEffect slowdown = slowdowns(observation, study, is_loaded);
  if (slowdown.status != stats::Status::kOk) {
    return {false, "The trials are too few to say what that did to the results."};
  }
  const Shift shift = shift_of(observation, study, results, slowdown.upper, is_loaded);
  const auto percent = [](double log_shift) {
    return format_plain(100.0 * std::abs(std::expm1(log_shift))) + " %";
  };
  if (shift.changed != nullptr) {
    return {false,
            fmt::format("Without that load the result of {} could differ by {}.",
                        describe_cell(shift.changed->row),
                        percent(shift.change))};
  }
  // Load on all cells alike leaves speedups as they are, and lengthens every step time.
  const std::string times =
      shift.longest > shift.largest
          ? fmt::format("; a step time by at most {}", percent(-shift.longest))
          : "";
  return {true,
          fmt::format("Without that load no {} would differ by more than {}{}.",
                      times.empty() ? "result" : "speedup",
                      percent(shift.largest),
                      times)};
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
  threats.push_back(
      {kind,
       effect.is_harmless ? Severity::kNote : Severity::kWarning,
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
