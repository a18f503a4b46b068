// Threats from sessions that say the opposite of each other.
#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/findings.h"
#include "harness/analysis/compare/ratios.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

using SessionParts = std::map<SessionId, CellObservation>;

// The cell's step times as far as each session ran it.
SessionParts by_session(const CellObservation& cell) {
  SessionParts parts;
  for (const TrialObservation& trial : cell.trials) {
    if (const auto time = trial.metrics.find(kStepTime); time != trial.metrics.end()) {
      CellObservation& part = parts[trial.row.session_id];
      part.row = cell.row;
      part.trials.emplace_back().row = trial.row;
      part.trials.back().metrics.insert(*time);
    }
  }
  return parts;
}

struct SessionRatio {
  SessionId session;
  std::string hosts;
  double ratio = 1.0;
  double p = 1.0;
};

// The ratio in each session, of those that have an interval. Of fewer than kLeastBlocks trials a
// side it is too easily met by chance that each side was in one of two states.
std::vector<SessionRatio> session_ratios(const SessionParts& bases,
                                         const CellObservation& cell,
                                         double factor,
                                         const Study& study) {
  std::vector<SessionRatio> ratios;
  for (const auto& [session, part] : by_session(cell)) {
    const auto found = bases.find(session);
    if (found == bases.end()) {
      continue;
    }
    const stats::RatioInterval one = time_ratio(found->second, part, factor, study).interval;
    if (one.ratio && one.p && std::min(one.n_a, one.n_b) >= kLeastBlocks) {
      ratios.push_back({.session = session,
                        .hosts = part.trials.front().row.hosts,
                        .ratio = *one.ratio,
                        .p = *one.p});
    }
  }
  return ratios;
}

// "2 devices, batch 16: 1.38x in session 1 (near), 0.58x in session 2 (far)"; "" if no two sessions
// say the opposite. Bonferroni over `family`.
std::string describe_opposites(const CellRow& cell,
                               std::vector<SessionRatio> ratios,
                               double margin,
                               std::size_t family) {
  std::erase_if(ratios, [&](const SessionRatio& one) {
    return !(one.p * static_cast<double>(family) < kThreatAlpha);
  });
  std::ranges::sort(ratios, {}, &SessionRatio::ratio);
  if (ratios.empty() || ratios.front().ratio > 1.0 / (1.0 + margin) ||
      ratios.back().ratio < 1.0 + margin) {
    return "";
  }
  const bool is_one_machine = ratios.front().hosts == ratios.back().hosts;
  // Of trials older than schema version 16 they are unknown.
  const auto say = [&](const SessionRatio& one) {
    return fmt::format("{}x in session {}{}",
                       format_plain(one.ratio),
                       one.session.value_or(0),
                       is_one_machine || one.hosts.empty() ? "" : " (" + one.hosts + ")");
  };
  return describe_cell(cell) + ": " + say(ratios.back()) + ", " + say(ratios.front());
}

}  // namespace

std::vector<ThreatRow> opposite_sessions(const StudyObservation& observation,
                                         const Study& study,
                                         const std::vector<ComparisonRow>& comparisons) {
  std::vector<std::pair<const CellRow*, std::vector<SessionRatio>>> all;
  std::map<std::int64_t, SessionParts> bases;
  std::size_t family = 0;
  for (const ComparisonRow& row : comparisons) {
    const CellObservation& cell = *observation.find_cell(row.cell_id);
    if (row.quantity == kSpeedup && row.p_adjusted && row.method != RatioMethod::kSessions &&
        session_count(cell) > 1) {
      const CellObservation& base = *observation.find_cell(row.baseline_cell_id);
      const auto [parts, is_new] = bases.try_emplace(base.row.id);
      if (is_new) {
        parts->second = by_session(base);
      }
      const double factor =
          quantity_factor(kSpeedup, base.row, cell.row, observation.study.scaling);
      all.emplace_back(&cell.row, session_ratios(parts->second, cell, factor, study));
      family += all.back().second.size();
    }
  }
  std::vector<std::string> opposites;
  for (const auto& [cell, ratios] : all) {
    const std::string said = describe_opposites(*cell, ratios, study.analysis.margin, family);
    if (!said.empty()) {
      opposites.push_back(said);
    }
  }
  if (opposites.empty()) {
    return {};
  }
  return {{ThreatKind::kSessions,
           Severity::kWarning,
           "Sessions contradict each other on speedups: " + list_some(opposites) +
               ". The answer over all sessions does not hold for each of them."}};
}

}  // namespace scalestudy
