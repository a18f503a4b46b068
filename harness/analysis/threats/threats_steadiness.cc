// Threats from how the step times moved: over the session, inside a trial, and in single outliers.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/observe/flags.h"
#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/distributions.h"
#include "stats/drift.h"
#include "stats/mean_interval.h"
#include "stats/multiplicity.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

constexpr double kLeastSlope = 0.005;         // per 100 steps, relative
constexpr std::size_t kLeastDriftPoints = 5;  // fewer cannot reach p < 0.05 in a rank test
constexpr double kMostDriftPoints = 400.0;    // in a row: Theil-Sen looks at all pairs

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
  std::set<SessionId> sessions;
  std::size_t longest = 0;  // values of the session that has the most
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

// What the drift does to the comparisons, by how each was made.
std::string describe_reach(const std::vector<ComparisonRow>& comparisons, bool has_blocks) {
  const auto made = std::ranges::count_if(
      comparisons, [](const ComparisonRow& row) { return row.value.has_value(); });
  // Means of a session hold the same blocks of both cells, if there are blocks.
  const auto paired = std::ranges::count_if(comparisons, [&](const ComparisonRow& row) {
    return row.value && (row.method == RatioMethod::kPaired ||
                         (has_blocks && row.method == RatioMethod::kSessions));
  });
  if (made == 0) {
    return ". It is part of every step time.";
  }
  if (paired == 0) {
    return ". It is part of every step time and, without pairs inside blocks, of every comparison.";
  }
  return ". Pairing inside blocks takes it out of " +
         (paired < made ? std::to_string(paired) + " of " : std::string("the ")) +
         format_count(made, "comparison") + ", not out of the step times.";
}

void add_drift(const StudyObservation& observation,
               const Study& study,
               const std::vector<ComparisonRow>& comparisons,
               std::vector<ThreatRow>& threats) {
  if (observation.imported && !observation.imported->has_order) {
    return;
  }
  const bool has_blocks = study.order.design == OrderDesign::kBlocks;
  const auto [strata, sessions, longest] = sequences_of(observation, has_blocks);
  std::vector<double> all;
  for (const std::vector<double>& stratum : strata) {
    all.insert(all.end(), stratum.begin(), stratum.end());
  }
  if (all.size() < kLeastDriftPoints) {
    return;
  }
  const std::size_t joined = joined_neighbours(strata);
  const stats::MannKendall trend = stats::mann_kendall_stratified(join_neighbours(strata, joined));
  const std::optional<double> spread = stats::standard_deviation(all);
  if (!trend.p || !trend.theil_sen_slope || !spread) {
    return;
  }
  const std::string unit = has_blocks ? "block" : "trial";
  // Cells of imported trials may have run beside each other, not one after the other.
  const bool is_within_cells = observation.imported && !has_blocks;
  const std::size_t launches =
      is_within_cells
          ? std::ranges::max(strata, {}, [](const auto& row) { return row.size(); }).size()
          : longest;
  const double change =
      *trend.theil_sen_slope / static_cast<double>(joined) * static_cast<double>(launches - 1);
  const std::string numbers =
      format_change(std::exp(change)) + " from the first " + unit +
      (is_within_cells       ? " of a cell to its last ("
       : sessions.size() > 1 ? " of a session to its last ("
                             : " to the last (") +
      say_p_value(*trend.p) + " of Mann-Kendall, Theil-Sen slope, over " +
      format_count(static_cast<std::int64_t>(all.size()), unit) +
      (joined > 1 ? ", joined " + std::to_string(joined) + " at a time" : "") +
      (sessions.size() > 1 ? ", inside the " + format_count(std::ssize(sessions), "session") : "") +
      (has_blocks ? "); " : ", inside the cells); ") + unit +
      "s differ by a standard deviation of " + format_plain(100.0 * *spread) + " %";
  if (*trend.p < kThreatAlpha) {
    threats.push_back({ThreatKind::kDrift,
                       Severity::kWarning,
                       "Step times drifted over the session: " + numbers +
                           describe_reach(comparisons, has_blocks)});
  } else {
    threats.push_back(
        {ThreatKind::kDrift,
         Severity::kNote,
         "Drift over the session is not resolved: step times moved by " + numbers + "."});
  }
}

struct CellSlope {
  const CellObservation* cell = nullptr;
  double slope = 0.0;  // per 100 steps, relative
  std::int64_t trials = 0;
  std::optional<double> p;
};

std::vector<CellSlope> cell_slopes(const StudyObservation& observation) {
  std::vector<CellSlope> slopes;
  for (const CellObservation& cell : observation.cells) {
    std::vector<double> values;
    for (const TrialObservation& trial : cell.trials) {
      if (trial.steps.slope) {
        values.push_back(*trial.steps.slope);
      }
    }
    const stats::MeanInterval interval = stats::mean_ci_t(values, 1.0 - kThreatAlpha);
    if (interval.status == stats::Status::kOk) {
      slopes.push_back(
          {.cell = &cell,
           .slope = *interval.mean,
           .trials = static_cast<std::int64_t>(values.size()),
           .p = stats::student_t_two_sided_p(*interval.mean / *interval.se, *interval.df)});
    }
  }
  return slopes;
}

// Steps that still get faster or slower after the warm-up (Holm over the cells, so that a study of
// many cells raises no more false alarms than one of few).
void add_warm_up(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  const std::vector<CellSlope> slopes = cell_slopes(observation);
  std::vector<std::optional<double>> p_values;
  p_values.reserve(slopes.size());
  for (const CellSlope& slope : slopes) {
    p_values.push_back(slope.p);
  }
  const stats::AdjustedP adjusted = stats::p_adjust(p_values, stats::Adjustment::kHolm);
  std::vector<std::string> cells;
  for (std::size_t i = 0; i < slopes.size() && i < adjusted.adjusted.size(); ++i) {
    const CellSlope& slope = slopes[i];
    const double p = adjusted.adjusted[i].value_or(1.0);
    if (p < kThreatAlpha && std::abs(slope.slope) > kLeastSlope) {
      cells.push_back(fmt::format("{}: {}{} % per 100 measured steps (adjusted {} over {})",
                                  describe_cell(slope.cell->row),
                                  slope.slope > 0.0 ? "+" : "",
                                  format_plain(100.0 * slope.slope),
                                  say_p_value(p),
                                  format_count(slope.trials, "trial")));
    }
  }
  if (!cells.empty()) {
    threats.push_back(
        {ThreatKind::kWarmUp,
         Severity::kWarning,
         "No steady state: step times change during the measured steps of " + list_some(cells) +
             ". They fall where a warm-up is left over and rise where a machine slows down under "
             "load. No interval covers that bias; raise steps.warmup."});
  }
}

struct OutlierCount {
  std::int64_t steps = 0;
  std::int64_t flagged_steps = 0;
  double time_s = 0.0;
  double flagged_time_s = 0.0;
  std::int64_t trials = 0;
  std::int64_t flagged_trials = 0;
  std::int64_t cells_with_rare = 0;
  std::string rare_label;
};

OutlierCount count_outliers(const StudyObservation& observation) {
  OutlierCount count;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      const auto found = trial.metrics.find(kStepTime);
      if (found == trial.metrics.end() || !(found->second.mean > 0.0)) {
        continue;
      }
      const double time_s = found->second.mean * static_cast<double>(found->second.steps);
      count.steps += found->second.steps;
      count.flagged_steps += trial.steps.flagged;
      count.time_s += time_s;
      count.flagged_time_s += trial.steps.flagged_share * time_s;
      ++count.trials;
      count.flagged_trials += trial.flagged ? 1 : 0;
    }
    if (has_rare_slow_trials(cell)) {
      ++count.cells_with_rare;
      count.rare_label = count.rare_label.empty() ? describe_cell(cell.row) : count.rare_label;
    }
  }
  return count;
}

// Largest relative move, up or down, of a cell's mean step time when its flagged trials are left
// out.
double largest_move(const std::vector<EstimateRow>& estimates) {
  std::map<std::int64_t, double> with_all;
  double largest = 0.0;
  for (const EstimateRow& row : estimates) {
    if (row.metric != kStepTime || row.statistic != Statistic::kMean || !row.value) {
      continue;
    }
    if (row.variant == Variant::kAll) {
      with_all[row.cell_id] = *row.value;
    } else if (row.variant == Variant::kUnflagged && with_all.contains(row.cell_id)) {
      largest = std::max(largest, std::abs(*row.value / with_all[row.cell_id] - 1.0));
    }
  }
  return largest;
}

double percentage(double part, double whole) {
  return whole > 0.0 ? 100.0 * part / whole : 0.0;
}

void add_outliers(const StudyObservation& observation,
                  const Study& study,
                  const std::vector<EstimateRow>& estimates,
                  std::vector<ThreatRow>& threats) {
  const OutlierCount count = count_outliers(observation);
  const std::string rule = format_rule(study.analysis.outliers);
  if (count.flagged_steps > 0) {
    threats.push_back(
        {ThreatKind::kOutliers,
         Severity::kNote,
         std::to_string(count.flagged_steps) + " of " + format_count(count.steps, "step") + " (" +
             format_plain(percentage(static_cast<double>(count.flagged_steps),
                                     static_cast<double>(count.steps))) +
             " %, " + format_plain(percentage(count.flagged_time_s, count.time_s)) +
             " % of the time)" +
             (count.flagged_steps == 1
                  ? " is marked by " + rule + " inside its trial; it is included."
                  : " are marked by " + rule + " inside their trial; they are included.")});
  }
  if (count.flagged_trials > 0) {
    threats.push_back({ThreatKind::kOutliers,
                       Severity::kNote,
                       std::to_string(count.flagged_trials) + " of " +
                           format_count(count.trials, "trial") +
                           (count.flagged_trials == 1
                                ? " is marked by " + rule +
                                      " among the trials of its cell; it is included in every "
                                      "verdict, and leaving it "
                                : " are marked by " + rule +
                                      " among the trials of their cell; they are included in every "
                                      "verdict, and leaving them ") +
                           "out (variant unflagged) moves a mean step time by at most " +
                           format_plain(100.0 * largest_move(estimates)) + " %."});
  }
  if (count.cells_with_rare > 0) {
    threats.push_back({ThreatKind::kRareSlowTrials,
                       Severity::kNote,
                       "Rare slow trials in " + format_count(count.cells_with_rare, "cell") +
                           " (first: " + count.rare_label + ") with fewer than " +
                           std::to_string(kTrialsToMeetRareStates) +
                           " trials: the interval may be too narrow there. Clean studies are told "
                           "so in at most " +
                           format_percent(kFalseAlarms) + " of cases."});
  }
}

// The rule marks up to 5 % of clean trials (workloads/rank/phases.h): a warning where more are
// marked than that explains.
void add_unsteady(const StudyObservation& observation, std::vector<ThreatRow>& threats) {
  std::size_t trials = 0;
  std::size_t unsteady = 0;
  std::string label;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      ++trials;
      if (!trial.is_steady) {
        ++unsteady;
        label = label.empty() ? describe_cell(cell.row) : label;
      }
    }
  }
  if (unsteady > 0) {
    threats.push_back(
        {ThreatKind::kUnsteady,
         stats::binomial_upper_tail(trials, kFalseAlarms, unsteady) < kFalseAlarms
             ? Severity::kWarning
             : Severity::kNote,
         std::to_string(unsteady) + " of " +
             format_count(static_cast<std::int64_t>(trials), "trial") +
             " never got steady (first in " + label +
             "): at the end of the longest warm-up allowed, step times still differed from those "
             "before by more than 2 % and their noise. What they measured may hold a part of the "
             "warm-up; up to 5 % of steady trials are marked so by chance."});
  }
}

}  // namespace

std::vector<ThreatRow> steadiness_threats(const StudyObservation& observation,
                                          const Study& study,
                                          const std::vector<EstimateRow>& estimates,
                                          const std::vector<ComparisonRow>& comparisons) {
  std::vector<ThreatRow> threats;
  add_drift(observation, study, comparisons, threats);
  add_warm_up(observation, threats);
  add_unsteady(observation, threats);
  add_outliers(observation, study, estimates, threats);
  return threats;
}

}  // namespace scalestudy
