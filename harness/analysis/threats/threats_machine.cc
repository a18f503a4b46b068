// Threats from what the machine did while trials ran.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "harness/analysis/threats/threats.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/change_points.h"
#include "stats/outliers.h"
#include "stats/shares.h"
#include "stats/summary.h"

namespace scalestudy {
namespace {

constexpr double kFalseAlarms = 0.05;
constexpr std::uint64_t kSeed = 20140328;  // of drawn permutations: equal stores, equal reports

// ---- disturbed trials

// Blocks in random order; where it is not, all trials of the study together.
std::vector<std::vector<stats::Mark>> marks_of(const StudyObservation& observation,
                                               const Study& study) {
  std::map<std::pair<std::string, std::int64_t>, std::vector<stats::Mark>> strata;
  for (std::size_t i = 0; i < observation.cells.size(); ++i) {
    const CellObservation& cell = observation.cells[i];
    for (const TrialObservation& trial : cell.as_met.empty() ? cell.trials : cell.as_met) {
      const bool is_batch = study.order.design == OrderDesign::kBatch;
      strata[is_batch ? std::pair<std::string, std::int64_t>()
                      : std::pair(trial.row.plan, trial.row.block)]
          .push_back({.group = i, .is_marked = trial.row.disturbance != Disturbance::kNone});
    }
  }
  std::vector<std::vector<stats::Mark>> all;
  for (auto& [place, marks] : strata) {
    all.push_back(std::move(marks));
  }
  return all;
}

struct Disturbances {
  std::map<Disturbance, std::int64_t> by;
  std::int64_t disturbed = 0;  // trials
  std::int64_t aside = 0;      // of them
  std::int64_t trials = 0;
  std::vector<std::string> cells;  // "2 devices, batch 64: 3 of 5"
};

Disturbances count_disturbed(const StudyObservation& observation) {
  Disturbances all;
  for (const CellObservation& cell : observation.cells) {
    std::int64_t here = 0;
    const auto& met = cell.as_met.empty() ? cell.trials : cell.as_met;
    for (const TrialObservation& trial : met) {
      if (trial.row.disturbance != Disturbance::kNone) {
        ++here;
        ++all.by[trial.row.disturbance];
        all.aside += is_put_aside(trial.row) ? 1 : 0;
      }
    }
    all.trials += std::ssize(met);
    all.disturbed += here;
    if (here > 0) {
      all.cells.push_back(fmt::format("{}: {} of {}", describe_cell(cell.row), here, met.size()));
    }
  }
  return all;
}

void add_disturbed(const StudyObservation& observation,
                   const Study& study,
                   std::vector<ThreatRow>& threats) {
  const Disturbances all = count_disturbed(observation);
  if (all.disturbed == 0) {
    return;
  }
  const std::optional<double> p = stats::equal_shares(marks_of(observation, study), kSeed).p;
  const bool differ = p && *p < kFalseAlarms;
  if (all.aside == 0 && !differ) {
    return;  // foreign_load and throttled say it
  }
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : all.by) {
    kinds.push_back(fmt::format("{} {}", in_words(to_word(kind)), count));
  }
  threats.push_back(
      {ThreatKind::kDisturbedTrials,
       Severity::kWarning,
       fmt::format(
           "{} of {} were disturbed more than validity allows ({}){}. By cell: {}.{}",
           all.disturbed,
           format_count(all.trials, "trial"),
           join(kinds, ", "),
           all.aside == 0 ? "" : fmt::format("; {} were set aside for it", all.aside),
           list_some(all.cells),
           differ ? fmt::format(
                        " Chance does not explain how they are spread over the cells (permutations "
                        "within blocks, p = {}). Part of the disturbance comes from the cells "
                        "themselves, such as their heat or duration, and {} hides it.",
                        format_plain(*p),
                        all.aside == 0 ? "leaving such trials out" : "setting them aside")
                  : " Their shares differ between cells by no more than chance explains.")});
}

// ---- the machine itself

struct Block {
  std::int64_t session = 0;
  std::int64_t group = 0;
  double log_time = 0.0;  // mean of before and after
  double count = 0.0;
};

std::vector<Block> blocks_of(const std::vector<CalibrationTime>& times) {
  std::vector<Block> blocks;
  for (const CalibrationTime& time : times) {
    if (blocks.empty() || blocks.back().session != time.session ||
        blocks.back().group != time.group) {
      blocks.push_back({.session = time.session, .group = time.group});
    }
    Block& block = blocks.back();
    block.count += 1.0;
    block.log_time += (std::log(time.time_s) - block.log_time) / block.count;
  }
  return blocks;
}

std::vector<double> logs_of(const std::vector<Block>& blocks) {
  std::vector<double> logs;
  for (const Block& block : blocks) {
    logs.push_back(block.log_time);
  }
  return logs;
}

double median_of(std::vector<double> values) {
  return stats::sorted_quantile(stats::sorted_copy(values), 0.5);
}

// "12 % longer in block 8 of session 1 than in the median one"; "" for none.
std::string slow_block(const std::vector<Block>& blocks, double alpha, double margin) {
  const std::vector<double> logs = logs_of(blocks);
  constexpr std::size_t share = 3;
  const auto p = stats::high_outliers(logs, (logs.size() + share - 1) / share).p;
  const auto slowest = std::ranges::max_element(blocks, {}, &Block::log_time);
  if (!p || !(*p < alpha)) {
    return "";
  }
  const double longer = std::expm1(slowest->log_time - median_of(logs));
  return longer > margin ? fmt::format("{} longer around block {} of session {} than the median",
                                       format_plain(100.0 * longer) + " %",
                                       slowest->group + 1,
                                       slowest->session)
                         : "";
}

// "4.0 % longer from block 5 of session 1 on"; "" for none.
std::string lasting_change(const std::vector<CalibrationTime>& times, double alpha, double margin) {
  constexpr std::size_t least = 4;   // before and after, of two blocks
  constexpr std::size_t most = 400;  // the search is quadratic: neighbours of many are joined
  const std::size_t joined = std::max<std::size_t>(1, (times.size() + most - 1) / most);
  std::vector<double> logs;
  for (std::size_t i = 0; i + joined <= times.size(); i += joined) {
    double sum = 0.0;
    for (std::size_t k = i; k < i + joined; ++k) {
      sum += std::log(times[k].time_s);
    }
    logs.push_back(sum / static_cast<double>(joined));
  }
  const stats::ChangePoints changes = stats::change_points(logs, alpha, least, kSeed);
  for (const stats::ChangePoint& change : changes.points) {
    const auto middle = logs.begin() + static_cast<std::ptrdiff_t>(change.first);
    const double longer =
        std::expm1(median_of({middle, logs.end()}) - median_of({logs.begin(), middle}));
    if (std::abs(longer) > margin) {
      return fmt::format("{} {} from block {} of session {} on",
                         format_plain(100.0 * std::abs(longer)) + " %",
                         longer > 0.0 ? "longer" : "less",
                         times[change.first * joined].group + 1,
                         times[change.first * joined].session);
    }
  }
  return "";
}

// Changes too small to matter to the study are none.
void add_changed_machine(const StudyObservation& observation,
                         const Study& study,
                         std::vector<ThreatRow>& threats) {
  std::map<std::string, std::vector<CalibrationTime>> by_host;
  for (const CalibrationTime& time : observation.calibrations) {
    by_host[time.host].push_back(time);
  }
  const double alpha = kFalseAlarms / (2.0 * static_cast<double>(by_host.size()));
  for (const auto& [host, times] : by_host) {
    std::vector<std::string> said;
    for (const std::string& text : {slow_block(blocks_of(times), alpha, study.analysis.margin),
                                    lasting_change(times, alpha, study.analysis.margin)}) {
      if (!text.empty()) {
        said.push_back(text);
      }
    }
    if (!said.empty()) {
      threats.push_back({ThreatKind::kChangedMachine,
                         Severity::kWarning,
                         fmt::format("The machine changed speed: a fixed calculation, timed before "
                                     "and after each block, took {}. Trials of one block share "
                                     "that; means over blocks mix both speeds.",
                                     join(said, ", and "))});
    }
  }
}

}  // namespace

std::vector<ThreatRow> machine_threats(const StudyObservation& observation, const Study& study) {
  std::vector<ThreatRow> threats;
  if (study.is_remote()) {
    return threats;
  }
  add_disturbed(observation, study, threats);
  add_changed_machine(observation, study, threats);
  return threats;
}

}  // namespace scalestudy
