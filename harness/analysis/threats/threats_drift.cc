// Threats from how step times moved over a session: a trend, and neighbours that are alike.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/threats/threats.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/drift.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

constexpr std::size_t kLeastDriftPoints = 5;  // fewer cannot reach p < 0.05 in a rank test
constexpr double kMostDriftPoints = 400.0;    // in a row: Theil-Sen looks at all pairs
// Of the two tests, together kThreatAlpha. Five blocks that rise have p = 0.028 of a trend.
constexpr double kTrendAlpha = 0.04;
constexpr double kWavesAlpha = kThreatAlpha - kTrendAlpha;
// Intervals that are narrower than this by the changes of the session hold the truth in less than
// 92 of 100 studies instead of 95, the limit for load, too.
constexpr double kLeastInflation = 1.12;

using Strata = std::vector<std::vector<double>>;

// What is left of a trial's step time when its cell is taken out, and when it ran.
struct Deviation {
  SessionBlock order;
  double log_ratio = 0.0;  // ln(trial mean / geometric mean of its cell in its session)
};

std::vector<Deviation> deviations_of(const CellObservation& cell) {
  std::vector<Deviation> deviations;
  SessionValues logs;
  for (const TrialObservation& trial : cell.trials) {
    const auto found = trial.metrics.find(kStepTime);
    if (found != trial.metrics.end() && found->second.mean > 0.0) {
      const double log_s = std::log(found->second.mean);
      deviations.push_back({.order = session_block(trial.row), .log_ratio = log_s});
      logs[trial.row.session_id].push_back(log_s);
    }
  }
  std::map<SessionId, double> means;
  for (const auto& [session, values] : logs) {
    means.emplace(session, *stats::mean(values));
  }
  std::erase_if(deviations, [&](const auto& one) { return logs.at(one.order.first).size() < 2; });
  for (Deviation& deviation : deviations) {
    deviation.log_ratio -= means.at(deviation.order.first);
  }
  return deviations;
}

// What is tested for a trend: inside sessions, because what one session shares is no trend.
struct Sequences {
  Strata strata;
  std::set<SessionId> sessions;  // without those that have one trial of each of their cells
  std::size_t longest = 0;       // values of the session that has the most
};

// Mean deviation of each block of a session, in run order; with order batch those of each cell by
// themselves, because the means of cells that ran one after the other took drift between them out.
Sequences sequences_of(const StudyObservation& observation, bool has_blocks) {
  std::map<std::pair<SessionId, std::size_t>, std::map<SessionBlock, std::vector<double>>> groups;
  for (std::size_t i = 0; i < observation.cells.size(); ++i) {
    for (const Deviation& deviation : deviations_of(observation.cells[i])) {
      groups[{deviation.order.first, has_blocks ? 0 : i}][deviation.order].push_back(
          deviation.log_ratio);
    }
  }
  Sequences sequences;
  std::size_t in_session = 0;
  for (const auto& [group, in_order] : groups) {
    in_session = sequences.sessions.insert(group.first).second ? 0 : in_session;
    in_session += in_order.size();
    sequences.longest = std::max(sequences.longest, in_session);
    std::vector<double>& stratum = sequences.strata.emplace_back();
    for (const auto& [order, values] : in_order) {
      stratum.push_back(*stats::mean(values));
    }
  }
  return sequences;
}

std::vector<double> values_of(const Strata& strata) {
  std::vector<double> all;
  for (const std::vector<double>& stratum : strata) {
    all.insert(all.end(), stratum.begin(), stratum.end());
  }
  return all;
}

// Neighbours that have to be joined for no more pairs of points than in one row of the most.
std::size_t joined_neighbours(const Strata& strata) {
  double squares = 0.0;
  for (const std::vector<double>& stratum : strata) {
    squares += std::pow(static_cast<double>(stratum.size()), 2.0);
  }
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil(std::sqrt(squares) / kMostDriftPoints)));
}

// Means of `joined` neighbours each; a rest of fewer is left out.
Strata join_neighbours(const Strata& strata, std::size_t joined) {
  Strata shorter;
  for (const std::vector<double>& stratum : strata) {
    std::vector<double>& means = shorter.emplace_back();
    for (std::size_t i = 0; i + joined <= stratum.size(); i += joined) {
      means.push_back(*stats::mean(std::span(stratum).subspan(i, joined)));
    }
  }
  return shorter;
}

// Comparisons with a value, and those of them that changes of the session are taken out of.
struct Reach {
  std::int64_t made = 0;
  std::int64_t paired = 0;
};

Reach reach_of(const std::vector<ComparisonRow>& comparisons, bool has_blocks) {
  Reach reach;
  for (const ComparisonRow& row : comparisons) {
    // Means of a session hold the same blocks of both cells, if there are blocks.
    const bool is_paired =
        row.method == RatioMethod::kPaired || (has_blocks && row.method == RatioMethod::kSessions);
    reach.made += row.value ? 1 : 0;
    reach.paired += row.value && is_paired ? 1 : 0;
  }
  return reach;
}

// "the comparison", "the 12 comparisons", "3 of 12 comparisons".
std::string paired_comparisons(const Reach& reach) {
  if (reach.made == 1) {
    return "the comparison";
  }
  return (reach.paired < reach.made ? std::to_string(reach.paired) + " of " : std::string("the ")) +
         format_count(reach.made, "comparison");
}

// What a trend does to the comparisons, by how each was made.
std::string describe_trend_reach(const Reach& reach) {
  if (reach.made == 0) {
    return ". It is part of every step time.";
  }
  if (reach.paired == 0) {
    return ". It is part of every step time and, without pairs inside blocks, of every comparison.";
  }
  return ". Pairing inside blocks takes what cells share of it out of " +
         paired_comparisons(reach) + ", not out of the step times.";
}

std::string describe_waves_reach(const Reach& reach) {
  if (reach.made == 0) {
    return ".";
  }
  if (reach.paired == 0) {
    return ". So are those of comparisons, which are not paired inside blocks.";
  }
  return ". Pairing inside blocks takes the changes that cells share out of " +
         paired_comparisons(reach) + ".";
}

// Sessions whose means the intervals of a cell take, if they are enough.
std::size_t most_sessions(const StudyObservation& observation) {
  std::size_t most = 0;
  for (const CellObservation& cell : observation.cells) {
    most = std::max(most, session_values(cell, kStepTime).size());
  }
  return most;
}

// Neighbours that are alike, as if the machine had several speeds that each last for some blocks;
// absent if that is not shown, or intervals allow for it.
std::optional<ThreatRow> waves_threat(const StudyObservation& observation,
                                      const Sequences& sequences,
                                      const stats::SerialCorrelation& alike,
                                      bool has_blocks,
                                      const Reach& reach) {
  // Means of sessions do not take their trials as independent.
  if (most_sessions(observation) >= kSessionsAsUnit || *alike.p >= kWavesAlpha) {
    return std::nullopt;
  }
  const std::optional<double> inflation =
      stats::standard_error_inflation(sequences_of(observation, false).strata);
  if (!inflation || *inflation < kLeastInflation) {
    return std::nullopt;
  }
  const std::string unit = has_blocks ? "block" : "trial";
  return ThreatRow{ThreatKind::kDrift,
                   Severity::kWarning,
                   fmt::format("Step times rose and fell over the session: neighbouring {}s are "
                               "more alike than chance explains ({} of the rank von Neumann ratio, "
                               "over {}). Over all cells, intervals of times and rates are about "
                               "{:.1f} times too narrow, or more if changes last long, because "
                               "they treat trials as independent{}",
                               unit,
                               say_p_value(*alike.p),
                               format_count(std::ssize(values_of(sequences.strata)), unit),
                               *inflation,
                               describe_waves_reach(reach))};
}

// Values that rise or fall from the first to the last of a session.
ThreatRow trend_threat(const StudyObservation& observation,
                       const Sequences& sequences,
                       const stats::MannKendall& trend,
                       bool has_blocks,
                       const Reach& reach) {
  const auto& [strata, sessions, longest] = sequences;
  const std::vector<double> all = values_of(strata);
  const std::size_t joined = joined_neighbours(strata);
  const std::string unit = has_blocks ? "block" : "trial";
  // Cells of imported trials may have run beside each other, not one after the other.
  const bool is_within_cells = observation.imported && !has_blocks;
  const std::size_t launches =
      is_within_cells
          ? std::ranges::max(strata, {}, [](const auto& row) { return row.size(); }).size()
          : longest;
  const double change =
      *trend.theil_sen_slope / static_cast<double>(joined) * static_cast<double>(launches - 1);
  const bool just_misses = *trend.p >= kTrendAlpha && *trend.p < kThreatAlpha;
  const std::string numbers =
      format_change(std::exp(change)) + " from the first " + unit +
      (is_within_cells       ? " of a cell to its last ("
       : sessions.size() > 1 ? " of a session to its last ("
                             : " to the last (") +
      say_p_value(*trend.p) + " of Mann-Kendall, " +
      (just_misses ? fmt::format("tested at {:.2g}, ", kTrendAlpha) : "") +
      "Theil-Sen slope, over " + format_count(static_cast<std::int64_t>(all.size()), unit) +
      (joined > 1 ? ", joined " + std::to_string(joined) + " at a time" : "") +
      (sessions.size() > 1 ? ", inside the " + format_count(std::ssize(sessions), "session") : "") +
      (has_blocks ? "); " : ", inside the cells); ") + unit +
      "s differ by a standard deviation of " +
      format_plain(100.0 * *stats::standard_deviation(all)) + " %";
  if (*trend.p < kTrendAlpha) {
    return {ThreatKind::kDrift,
            Severity::kWarning,
            "Step times drifted over the session: " + numbers + describe_trend_reach(reach)};
  }
  return {ThreatKind::kDrift,
          Severity::kNote,
          "No significant drift over the session: step times changed by " + numbers + "." +
              (just_misses ? fmt::format(" The level of {} is divided: {:.2g} for trends, {:.2g} "
                                         "for ups and downs.",
                                         kThreatAlpha,
                                         kTrendAlpha,
                                         kWavesAlpha)
                           : "")};
}

}  // namespace

std::vector<ThreatRow> drift_threats(const StudyObservation& observation,
                                     const Study& study,
                                     const std::vector<ComparisonRow>& comparisons) {
  std::vector<ThreatRow> threats;
  if (observation.imported && !observation.imported->has_order) {
    return threats;
  }
  const bool has_blocks = study.order.design == OrderDesign::kBlocks;
  const Sequences sequences = sequences_of(observation, has_blocks);
  const Strata strata = join_neighbours(sequences.strata, joined_neighbours(sequences.strata));
  const stats::MannKendall trend = stats::mann_kendall_stratified(strata);
  const stats::SerialCorrelation alike = stats::rank_von_neumann_stratified(strata);
  if (values_of(sequences.strata).size() < kLeastDriftPoints || !trend.p ||
      !trend.theil_sen_slope || !alike.p) {
    return threats;
  }
  const Reach reach = reach_of(comparisons, has_blocks);
  // A trend makes neighbours alike, and waves can look like a trend: the one better shown is told,
  // by the p value of one direction each.
  const auto waves = *alike.p < *trend.p / 2.0
                         ? waves_threat(observation, sequences, alike, has_blocks, reach)
                         : std::nullopt;
  threats.push_back(waves ? *waves
                          : trend_threat(observation, sequences, trend, has_blocks, reach));
  return threats;
}

}  // namespace scalestudy
