#include "harness/analysis/cells/session_spread.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "harness/study/parameters/metrics.h"
#include "harness/text/number.h"
#include "stats/summary.h"
#include "stats/variance_components.h"

namespace scalestudy {
namespace {

// What is left of each block's step times when the cells are taken out: of cells that ran in
// several sessions, over the mean of their sessions, so that shares do not matter.
std::map<SessionBlock, std::vector<double>> block_deviations(const StudyObservation& observation) {
  std::map<SessionBlock, std::vector<double>> deviations;
  for (const CellObservation& cell : observation.cells) {
    std::vector<double> levels;
    for (const auto& [session, times_s] : session_values(cell, kStepTime)) {
      levels.push_back(*stats::mean(times_s));
    }
    // A stored time that is none makes the mean NaN; of such a cell nothing is taken.
    if (levels.size() < 2 || !(*stats::mean(levels) > 0.0)) {
      continue;
    }
    const double centre = *stats::mean(levels);
    for (const TrialObservation& trial : cell.trials) {
      const auto found = trial.metrics.find(kStepTime);
      if (found != trial.metrics.end() && found->second.mean > 0.0) {
        deviations[session_block(trial.row)].push_back(found->second.mean / centre);
      }
    }
  }
  return deviations;
}

// The means of sessions, and whether an F test sets them apart.
struct Apart {
  SessionId least_session;
  SessionId most_session;
  double least = 0.0;
  double most = 0.0;
  std::optional<double> p;  // absent if no session has a spread
  bool is_shown = false;    // by more than chance
};

// Absent for fewer than two sessions.
std::optional<Apart> apart_of(const SessionValues& values, double alpha) {
  if (values.size() < 2) {
    return std::nullopt;
  }
  Apart apart;
  std::vector<std::vector<double>> groups;
  for (const auto& [session, of_session] : values) {
    const double mean = *stats::mean(of_session);
    if (groups.empty() || mean < apart.least) {
      apart.least_session = session;
      apart.least = mean;
    }
    if (groups.empty() || mean > apart.most) {
      apart.most_session = session;
      apart.most = mean;
    }
    groups.push_back(of_session);
  }
  const stats::VarianceComponents components = stats::variance_components(groups);
  apart.p = components.p;
  apart.is_shown =
      components.p ? *components.p < alpha : components.status == stats::Status::kZeroVariance;
  return apart;
}

constexpr double kAlpha = 0.05;  // of the threat

std::optional<Apart> apart_of(const StudyObservation& observation) {
  SessionValues by_session;
  for (const auto& [block, values] : block_deviations(observation)) {
    by_session[block.first].push_back(*stats::mean(values));
  }
  return apart_of(by_session, kAlpha);
}

}  // namespace

std::optional<SessionsAround> sessions_around(const SessionValues& values,
                                              double level,
                                              double alpha) {
  if (values.size() >= kSessionsAsUnit) {
    return std::nullopt;
  }
  const std::optional<Apart> apart = apart_of(values, alpha);
  return apart && apart->is_shown && apart->least < level && level < apart->most
             ? std::optional(SessionsAround{apart->least_session, apart->most_session, apart->p})
             : std::nullopt;
}

std::vector<ThreatRow> spread_threats(const StudyObservation& observation, const Study& study) {
  std::set<SessionId> sessions;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      sessions.insert(trial.row.session_id);
    }
  }
  if (sessions.size() < 2) {
    return {};
  }
  const bool are_few = sessions.size() < kSessionsAsUnit;
  const std::string scope =
      are_few ? fmt::format(
                    "Intervals and verdicts hold within these {}: fewer than {} sessions "
                    "do not show how much another one would differ.",
                    sessions.size(),
                    kSessionsAsUnit)
              : fmt::format(
                    "If a cell, or each of two compared cells, ran in {} or more common "
                    "sessions, the session is the unit of the interval; all other "
                    "intervals hold within these sessions.",
                    kSessionsAsUnit);
  const std::string from = fmt::format("The trials come from {} sessions", sessions.size());
  const std::optional<Apart> apart = apart_of(observation);
  if (!apart) {
    return {{ThreatKind::kSessions, Severity::kNote, from + ". " + scope}};
  }
  const std::string percent = format_plain(100.0 * (apart->most / apart->least - 1.0));
  const std::string test = apart->p ? " (" + say_p_value(*apart->p) + ", F test over blocks)" : "";
  if (are_few && apart->is_shown && apart->most / apart->least - 1.0 > study.analysis.margin) {
    return {{ThreatKind::kSessions,
             Severity::kWarning,
             fmt::format("The step times of the {0} sessions are up to {1} % apart, more than "
                         "chance explains{2}. Their mean may describe none of them; intervals and "
                         "verdicts hold within these {0}.",
                         sessions.size(),
                         percent,
                         test)}};
  }
  std::string finding =
      fmt::format("{}. {} Their step times are up to {} % apart{}.", from, scope, percent, test);
  if (!are_few || !apart->is_shown) {
    finding += " This decides nothing.";
  }
  if (sessions.size() >= 2 * kSessionsAsUnit && apart->is_shown) {  // as `history` needs
    finding += " `scalestudy history " + observation.study.name + "` finds lasting changes.";
  }
  return {{ThreatKind::kSessions, Severity::kNote, finding}};
}

}  // namespace scalestudy
