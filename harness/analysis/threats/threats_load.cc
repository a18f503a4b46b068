// Threats from others who took part of the machine while trials ran, graded by what that did to the
// results.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/threats/load_crowding.h"
#include "harness/analysis/threats/load_effect.h"
#include "harness/analysis/threats/threats.h"
#include "harness/study/declared/validity.h"
#include "harness/text/number.h"

namespace scalestudy {
namespace {

// Who takes cores of the machine.
struct Taker {
  ThreatKind kind;
  std::string name;
  std::function<std::optional<double>(const TrialObservation&)> load_of;  // in cores' worth
};

// Of the machine that the trial ran on.
double cores_of(const StudyObservation& observation, const TrialObservation& trial) {
  const auto known = observation.session_cores.find(trial.row.session_id.value_or(0));
  return known == observation.session_cores.end() ? observation.cores.value_or(1.0) : known->second;
}

// "the 2 cores"
std::string machine_text(const StudyObservation& observation, const Taker& taker) {
  if (!observation.cores) {
    return "one core (how many the machine has was not recorded)";
  }
  const auto& known = observation.session_cores;
  const auto least = static_cast<std::int64_t>(*observation.cores);
  const auto is_other = [&](const TrialObservation& trial) {
    return taker.load_of(trial) && !known.contains(trial.row.session_id.value_or(0));
  };
  const bool has_other = std::ranges::any_of(observation.cells, [&](const CellObservation& cell) {
    return std::ranges::any_of(cell.trials, is_other);
  });
  const bool differs = std::ranges::any_of(
      known, [&](const auto& entry) { return entry.second != *observation.cores; });
  return has_other && !known.empty()
             ? fmt::format("the cores of their machine ({} where not recorded)", least)
         : differs ? "the cores of their machine"
                   : "the " + format_count(least, "core");
}

void add_load(const StudyObservation& observation,
              const Study& study,
              const Results& results,
              const std::vector<ComparisonRow>& choices,
              const Taker& taker,
              std::vector<ThreatRow>& threats) {
  const ReadLoad read = [&](const TrialObservation& trial) {
    const std::optional<double> load = taker.load_of(trial);
    return !load                                               ? LoadReading::kNone
           : *load > kLoadShare * cores_of(observation, trial) ? LoadReading::kLoaded
                                                               : LoadReading::kQuiet;
  };
  std::int64_t known = 0;  // trials with a reading
  std::int64_t loaded = 0;
  std::int64_t unread = 0;
  double worst = 0.0;
  double worst_share = 0.0;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      known += read(trial) == LoadReading::kNone ? 0 : 1;
      loaded += read(trial) == LoadReading::kLoaded ? 1 : 0;
      unread += read(trial) == LoadReading::kNone ? 1 : 0;
      const double load = taker.load_of(trial).value_or(0.0);
      if (const double share = load / cores_of(observation, trial); share > worst_share) {
        worst = load;
        worst_share = share;
      }
    }
  }
  if (loaded == 0) {
    return;
  }
  const LoadEffect effect = load_effect(observation, study, results, choices, read);
  threats.push_back({effect.is_limited ? ThreatKind::kLimitedLoad : taker.kind,
                     effect.is_warning ? Severity::kWarning : Severity::kNote,
                     fmt::format("{} of {} ran while {} used more than {} of {} (at worst {} %, or "
                                 "{} cores). Those trials are included. {}{}",
                                 loaded,
                                 format_count(known, "trial"),
                                 taker.name,
                                 format_percent(kLoadShare),
                                 machine_text(observation, taker),
                                 format_plain(100.0 * worst_share),
                                 format_plain(worst),
                                 effect.words,
                                 unread == 0 ? ""
                                             : fmt::format(" {} had no reading of that load.",
                                                           format_count(unread, "more trial")))});
}

// Trials of which nobody can say whether they met load.
void add_unread(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::int64_t trials = 0;
  std::int64_t unread = 0;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      ++trials;
      unread +=
          !trial.row.foreign_load && trial.row.wall_s.value_or(kShortestLoadS) < kShortestLoadS ? 1
                                                                                                : 0;
    }
  }
  if (unread > 0 && threats.empty()) {
    threats.push_back({ThreatKind::kForeignLoad,
                       Severity::kNote,
                       fmt::format("{} of {} took less than {} s: only heavy load from other "
                                   "programs would show in them.",
                                   unread,
                                   format_count(trials, "trial"),
                                   kShortestLoadS)});
  }
}

}  // namespace

std::vector<ThreatRow> load_threats(const StudyObservation& observation,
                                    const Study& study,
                                    const Results& results,
                                    const std::vector<ComparisonRow>& choices) {
  std::vector<ThreatRow> threats;
  if (study.is_remote()) {
    return threats;
  }
  const std::vector<Taker> takers = {
      {.kind = ThreatKind::kForeignLoad,
       .name = "other processes",
       .load_of = [](const TrialObservation& trial) { return trial.row.foreign_load; }},
      {.kind = ThreatKind::kSteal,
       .name = "other virtual machines of the host",
       .load_of = [&](const TrialObservation& trial) -> std::optional<double> {
         const auto found = observation.steal.find(trial.row.id);
         return found == observation.steal.end() ? std::nullopt
                                                 : std::optional<double>(found->second);
       }}};
  for (const Taker& taker : takers) {
    add_load(observation, study, results, choices, taker, threats);
  }
  if (!observation.imported) {
    add_unread(observation, threats);
  }
  return threats;
}

}  // namespace scalestudy
