#include "harness/analysis/cells/sessions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string_view>

#include "harness/analysis/cells/session_spread.h"
#include "harness/store/cell_name.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/summary.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

std::map<SessionId, std::int64_t> trials_by_session(const CellObservation& cell) {
  std::map<SessionId, std::int64_t> counts;
  for (const TrialObservation& trial : cell.trials) {
    ++counts[trial.row.session_id];
  }
  return counts;
}

const Software& software_of(const TrialObservation& trial) {
  static const Software kNone;
  return trial.software ? *trial.software : kNone;
}

std::map<Software, std::int64_t> trials_by_software(const CellObservation& cell) {
  std::map<Software, std::int64_t> counts;
  for (const TrialObservation& trial : cell.trials) {
    ++counts[software_of(trial)];
  }
  return counts;
}

// Whether the two, of which neither is empty, are not in one proportion.
template <typename Counts>
bool are_other_shares(const Counts& base,
                      std::size_t all_base,
                      const Counts& cell,
                      std::size_t all) {
  const auto total = static_cast<std::int64_t>(all);
  const auto total_base = static_cast<std::int64_t>(all_base);
  return total > 0 && total_base > 0 &&
         (base.size() != cell.size() || std::ranges::any_of(cell, [&](const auto& entry) {
            const auto found = base.find(entry.first);
            return found == base.end() || found->second * total != entry.second * total_base;
          }));
}

std::string list_names(const std::set<std::string>& names) {
  return list_some(std::vector(names.begin(), names.end()));
}

using Hashes = std::map<std::string, std::set<std::string>>;  // by name of a program, or "side ..."

// What the cell's trials ran, by the facts of their sessions: file.train.py is 0f12..., side.here
// is 4711...
Hashes program_hashes(const CellObservation& cell) {
  constexpr std::string_view file = "file.";
  constexpr std::string_view side = "side.";
  Hashes hashes;
  for (const TrialObservation& trial : cell.trials) {
    for (const auto& [name, hash] : software_of(trial)) {
      if (name.starts_with(file)) {
        hashes[name.substr(file.size())].insert(hash);
      } else if (name.starts_with(side)) {
        hashes["side " + name.substr(side.size())].insert(hash);
      }
    }
  }
  return hashes;
}

// The arguments of the cell's command.
std::set<std::string> arguments_of(const Study& study, const CellRow& cell) {
  std::set<std::string> arguments;
  for (std::string argument : study.command) {
    for (const CellRow::Parameter& parameter : cell.parameters) {
      const std::string placeholder = "{" + parameter.name + "}";
      for (std::size_t at = 0; (at = argument.find(placeholder, at)) != std::string::npos;
           at += parameter.value.size()) {
        argument.replace(at, placeholder.size(), parameter.value);
      }
    }
    arguments.insert(std::move(argument));
  }
  return arguments;
}

// Whether one of the arguments has the name in its text, as that of `sh -c` does, and not as a part
// of another name.
bool have_name(const std::set<std::string>& arguments, const std::string& name) {
  const auto goes_on = [](const std::string& text, std::size_t at) {
    constexpr std::string_view joins = "_-./";
    return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 ||
                                joins.find(text[at]) != std::string_view::npos);
  };
  return std::ranges::any_of(arguments, [&](const std::string& argument) {
    std::size_t at = argument.find(name);
    while (at != std::string::npos &&
           (goes_on(argument, at - 1) || goes_on(argument, at + name.size()))) {
      at = argument.find(name, at + 1);
    }
    return at != std::string::npos;
  });
}

// Programs and scripts of a command, and sides, that are not the same in all sessions. A session
// tells those of all cells: one that the arguments of other cells name, and not its own, a cell
// did not run.
void add_edited_programs(const StudyObservation& observation,
                         const Study& study,
                         std::vector<ThreatRow>& threats) {
  std::set<std::string> named;
  for (const CellObservation& cell : observation.cells) {
    named.merge(arguments_of(study, cell.row));
  }
  Hashes all;
  std::set<std::string> mixed;  // in one cell
  for (const CellObservation& cell : observation.cells) {
    const std::set<std::string> own = arguments_of(study, cell.row);
    for (const auto& [name, hashes] : program_hashes(cell)) {
      if (!have_name(own, name) && have_name(named, name)) {
        continue;
      }
      all[name].insert(hashes.begin(), hashes.end());
      if (hashes.size() > 1) {
        mixed.insert(name);
      }
    }
  }
  std::set<std::string> apart;  // between cells alone
  for (const auto& [name, hashes] : all) {
    if (hashes.size() > 1 && !mixed.contains(name)) {
      apart.insert(name);
    }
  }
  const auto add = [&](const std::set<std::string>& names, const std::string& what) {
    if (!names.empty()) {
      threats.push_back({ThreatKind::kChangedStudy,
                         Severity::kWarning,
                         "Edited between sessions, so that " + what + " ran different programs: " +
                             list_names(names) + ". Run the study under another name."});
    }
  };
  add(mixed, "trials of one cell");
  add(apart, "some cells and others");
}

// A cell that was added to the study, or run again, after the others.
void add_across_sessions(const StudyObservation& observation,
                         const Study& study,
                         const std::vector<ComparisonRow>& comparisons,
                         std::vector<ThreatRow>& threats) {
  const bool is_blocked = study.order.design == OrderDesign::kBlocks;
  std::set<std::string> pairs;
  std::set<std::string> reduced;            // compared, on a part of their trials
  std::set<std::string> of_other_software;  // not compared
  for (const ComparisonRow& row : comparisons) {
    const CellObservation& cell = *observation.find_cell(row.cell_id);
    const CellObservation& base = *observation.find_cell(row.baseline_cell_id);
    if (!has_other_shares(base, cell) || cell.trials.size() < 2 || base.trials.size() < 2) {
      continue;
    }
    const std::string pair = describe_cell(cell.row) + " with " + describe_cell(base.row);
    if (is_blocked) {
      (row.n < 2 ? pairs : reduced).insert(pair);
    } else if (row.method == RatioMethod::kIndependent) {
      (has_other_software(base, cell) ? of_other_software : pairs).insert(pair);
    }
  }
  if (!reduced.empty()) {
    threats.push_back({ThreatKind::kAcrossSessions,
                       Severity::kNote,
                       "Shares of the sessions differ: " + list_names(reduced) +
                           ". Only trials of blocks that contain both are compared."});
  }
  if (!of_other_software.empty()) {
    threats.push_back({ThreatKind::kAcrossSessions,
                       Severity::kWarning,
                       "Not attributable: " + list_names(of_other_software) +
                           ". They have different shares of sessions that ran different software, "
                           "fewer than " +
                           std::to_string(kSessionsAsUnit) +
                           " on a side, so the effect of the software cannot be separated from "
                           "that of the settings. Blocks of one session can separate them."});
  }
  if (pairs.empty()) {
    return;
  }
  threats.push_back(
      {ThreatKind::kAcrossSessions,
       Severity::kWarning,
       is_blocked ? "Not compared: " + list_names(pairs) +
                        ". No two blocks of one session hold both, and what changed between "
                        "sessions would be part of the difference. A higher trials.count makes "
                        "blocks that do."
                  : "Compared across sessions: " + list_names(pairs) +
                        ". They have different shares of the sessions and no blocks, so what "
                        "changed between the sessions is part of the difference, and of no "
                        "interval."});
}

}  // namespace

Seeds seeds_of(const Study& study, const CellRow& cell, const std::string& metric) {
  if (study.workload != Workload::kTrain || !is_learned(metric)) {
    return Seeds::kNone;
  }
  const bool varies = std::ranges::any_of(cell.parameters, [](const CellRow::Parameter& parameter) {
    return parameter.name == "vary_seed" && parameter.value == "true";
  });
  const bool is_fixed = study.steps.is_open || !study.steps.has_times();
  return varies ? Seeds::kOfBlock : is_fixed ? Seeds::kOne : Seeds::kNone;
}

SessionBlock counted_block(const TrialRow& trial, Seeds seeds) {
  return seeds == Seeds::kNone
             ? session_block(trial)
             : SessionBlock{std::nullopt, seeds == Seeds::kOfBlock ? trial.block : 0};
}

SessionValues session_values(const CellObservation& cell,
                             const std::string& metric,
                             double TrialMetric::*statistic,
                             Seeds seeds) {
  SessionValues values;
  std::set<SessionBlock> counted;
  for (const TrialObservation& trial : cell.trials) {
    const auto found = trial.metrics.find(metric);
    const SessionBlock block = counted_block(trial.row, seeds);
    if (found != trial.metrics.end() && (counted.insert(block).second || seeds == Seeds::kNone)) {
      values[block.first].push_back(found->second.*statistic);
    }
  }
  return values;
}

stats::Range range_of(const Study& study, const std::string& metric, const std::string& unit) {
  if (metric == kHidden) {
    return stats::Range::kAny;
  }
  if (metric == "overlap_efficiency") {
    return stats::Range::kBelowOne;
  }
  if (metric.ends_with("_share") || metric == "pipeline_bubble" ||
      metric.find(names::kAccuracy) != std::string::npos) {
    return is_percent(unit) ? stats::Range::kPercent : stats::Range::kShare;
  }
  constexpr auto amounts = std::to_array<std::string_view>({"s", "bytes", "W", "J", "samples"});
  const bool is_amount = std::ranges::find(amounts, unit) != amounts.end() || unit.ends_with("/s");
  return is_amount || study.workload != Workload::kCommand ? stats::Range::kPositive
                                                           : stats::Range::kAny;
}

TrialsInterval interval_over_trials(const SessionValues& values, double level, stats::Range range) {
  std::vector<std::vector<double>> sessions;
  std::vector<double> means;
  std::vector<double> all;
  for (const auto& [session, in_session] : values) {
    sessions.push_back(in_session);
    means.push_back(*stats::mean(in_session));
    all.insert(all.end(), in_session.begin(), in_session.end());
  }
  TrialsInterval result;
  if (sessions.size() >= kSessionsAsUnit) {
    result.interval = stats::mean_ci_t(means, level);
    result.interval.sd = stats::standard_deviation(all);
    result.method = "mean_ci_t_sessions";
  } else {
    result.interval = stats::mean_ci_t_within(sessions, level);
    result.method = sessions.size() < 2 ? "mean_ci_t" : "mean_ci_t_within";
  }
  const bool is_in_range = std::ranges::all_of(all, [&](double value) {
    return (value >= 0.0 || range == stats::Range::kBelowOne) && value <= stats::upper_bound(range);
  });
  result.range = is_in_range ? range : stats::Range::kAny;
  result.plain = stats::estimate_of(result.interval);
  const stats::Estimate kept = stats::keep_inside(result.plain, result.range);
  result.interval.lo = kept.lo;
  result.interval.hi = kept.hi;
  return result;
}

std::size_t session_count(const CellObservation& cell) {
  return trials_by_session(cell).size();
}

bool has_other_shares(const CellObservation& base, const CellObservation& cell) {
  return are_other_shares(
      trials_by_session(base), base.trials.size(), trials_by_session(cell), cell.trials.size());
}

bool has_other_software(const CellObservation& base, const CellObservation& cell) {
  return std::min(session_count(base), session_count(cell)) < kSessionsAsUnit &&
         are_other_shares(trials_by_software(base),
                          base.trials.size(),
                          trials_by_software(cell),
                          cell.trials.size());
}

std::string why_unpaired(const CellObservation& base, const CellObservation& cell) {
  return base.trials.size() < 2 || cell.trials.size() < 2 || !has_other_shares(base, cell)
             ? ""
             : " of one session: others ran in different sessions, and what changed between these "
               "would be part of the difference. A higher trials.count makes blocks that hold both";
}

std::vector<ThreatRow> session_threats(const StudyObservation& observation,
                                       const Study& study,
                                       const std::vector<ComparisonRow>& comparisons) {
  std::vector<ThreatRow> threats = spread_threats(observation, study);
  add_edited_programs(observation, study, threats);
  add_across_sessions(observation, study, comparisons, threats);
  return threats;
}

}  // namespace scalestudy
