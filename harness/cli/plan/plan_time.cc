#include "harness/cli/plan/plan_time.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/search/search_race.h"
#include "harness/analysis/studies/pilot.h"
#include "harness/base/error.h"
#include "harness/host/system_machine.h"
#include "harness/run/attempt/time_limit.h"
#include "harness/run/study_changes.h"
#include "harness/store/excluded_trials.h"
#include "harness/store/store.h"
#include "harness/store/trial_plan.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {

namespace {

// Earlier trials of the cells.
struct Known {
  double sum_s = 0.0;     // of the mean of each cell that has some
  std::size_t cells = 0;  // that have some

  double mean_s() const { return sum_s / static_cast<double>(cells); }
};

Known known_times(const Matrix& matrix,
                  const PlanHistory& history,
                  double (Past::*mean_s)() const = &Past::mean_time_s) {
  Known known;
  for (const Cell& cell : matrix.cells) {
    if (const auto past = history.find(cell.hash); past != history.end()) {
      known.sum_s += (past->second.*mean_s)();
      ++known.cells;
    }
  }
  return known;
}

std::string search_text(const Study& study, const Matrix& matrix, const PlanHistory& history) {
  const Search& search = *study.search;
  const std::size_t settings = matrix.cells.size();
  std::string bound = "trials of " + format_duration(search.budget_s);
  if (search.max_trials) {
    bound += fmt::format(", and {} of them", *search.max_trials);
  }
  const Known known = known_times(matrix, history, &Past::mean_wall_s);
  std::string holds;
  if (known.cells > 0) {
    const double trials =
        std::floor(search.budget_s * static_cast<double>(known.cells) / known.sum_s);
    holds = fmt::format(
        "; that is about {2} trials, estimated from earlier ones of {0} of {1} settings",
        known.cells,
        settings,
        trials);
    if (trials < 2.0 * static_cast<double>(settings)) {
      holds += fmt::format(", too few for a race: a block of all settings takes about {}",
                           format_duration(known.mean_s() * static_cast<double>(settings)));
    }
  }
  return fmt::format(
      "First a race in rounds, with at least one block of all {} settings ({} trials); each later "
      "round keeps half as many. Then at least {} fresh blocks of the winner, up to {} simpler "
      "settings and the default. The budget is {}: half for the race, which may exceed it by a "
      "block, the rest for as many fresh blocks as find {} with a probability of 0.8{}.",
      settings,
      settings,
      kLeastFreshBlocks,
      kMostCandidates,
      bound,
      format_percent(study.analysis.margin),
      holds);
}

// Whether a run would skip the trial again.
bool is_skipped_again(const TrialRow& trial, const Study& study) {
  return trial.skip_reason &&
         (is_enough(*trial.skip_reason) || (*trial.skip_reason == SkipReason::kTooLarge &&
                                            study.limits.after_oom == AfterOom::kSkipLarger));
}

// The trials that a run does not run again, by hash of the cell and block.
std::set<std::pair<std::string, std::int64_t>> ended_trials(const Study& study,
                                                            const Store& store,
                                                            std::int64_t study_id) {
  const std::vector<TrialRow> trials = store.trials(study_id);
  const std::string plan =
      plan_to_run(trials, store.sessions(study_id), SystemMachine().host_name());
  std::map<std::int64_t, std::string> hashes;
  for (const CellRow& cell : store.cells(study_id)) {
    hashes[cell.id] = cell.hash;
  }
  const std::set<std::int64_t> earlier = earlier_sessions(study, store, study_id);
  const std::set<std::int64_t> by_hand = excluded_by_hand(store, study_id);
  std::set<std::pair<std::string, std::int64_t>> ended;
  for (const auto& [place, trial] : trials_by_place(study, trials, plan)) {
    const bool is_open = is_pending(trial->state) || trial->state == TrialState::kExcluded ||
                         (trial->state == TrialState::kSkipped && !is_skipped_again(*trial, study));
    // Failures of another command are tried again.
    const bool is_repeated = is_unusable(trial->state) && !by_hand.contains(trial->id) &&
                             earlier.contains(trial->session_id.value_or(0));
    if (!is_open && !is_repeated && trial->provenance == TrialProvenance::kMeasured) {
      ended.emplace(hashes[trial->cell_id], trial->block);
    }
  }
  return ended;
}

// How many of so many trials of each cell a run would still run: " in all, 64 more over all cells";
// "" if all.
std::string more_text(Study study, int trials, const std::string& results) {
  study.trials.count = trials;
  const Matrix matrix = expand(study);
  const std::vector<ScheduledTrial> all = schedule(study, matrix);
  const std::size_t left = sum_of(trials_left(study, matrix, all, results));
  return left == all.size() ? ""
         : left == 0        ? ", all of which have run"
                            : fmt::format(" in all, {} more over all cells", left);
}

}  // namespace

TrialCounts count_trials(const Matrix& matrix, const std::vector<ScheduledTrial>& trials) {
  TrialCounts counts(matrix.cells.size());
  for (const ScheduledTrial& trial : trials) {
    ++counts.at(trial.cell);
  }
  return counts;
}

std::size_t sum_of(const TrialCounts& counts) {
  return static_cast<std::size_t>(
      std::accumulate(counts.begin(), counts.end(), static_cast<std::int64_t>(0)));
}

TrialCounts trials_left(const Study& study,
                        const Matrix& matrix,
                        const std::vector<ScheduledTrial>& trials,
                        const std::string& results) {
  std::set<std::pair<std::string, std::int64_t>> ended;  // hash of the cell, block
  if (Store::exists(results)) {
    const Store store = Store::open_read_only(results);
    if (const std::optional<StudyRow> row = store.find_study(study.name)) {
      ended = ended_trials(study, store, row->id);
    }
  }
  std::vector<ScheduledTrial> left = trials;
  std::erase_if(left, [&](const ScheduledTrial& trial) {
    return ended.contains({matrix.cells.at(trial.cell).hash, trial.block});
  });
  return count_trials(matrix, left);
}

std::optional<std::vector<double>> trial_times_s(const Matrix& matrix, const PlanHistory& history) {
  const Known known = known_times(matrix, history);
  if (known.cells == 0) {
    return std::nullopt;
  }
  std::vector<double> times_s;
  for (const Cell& cell : matrix.cells) {
    const auto past = history.find(cell.hash);
    times_s.push_back(past == history.end() ? known.mean_s() : past->second.mean_time_s());
  }
  return times_s;
}

std::string plan_sentence(const Study& study,
                          const Matrix& matrix,
                          std::size_t trials,
                          std::size_t left) {
  if (study.search) {
    return fmt::format("{}: a search among {} settings.", study.name, matrix.cells.size());
  }
  const std::string all = format_count(static_cast<std::int64_t>(trials), "trial");
  return fmt::format(
      "{}: {}, {}{} of each of {}{}, {} (seed {}).{}",
      study.name,
      left == trials ? all
      : left == 0    ? "none of its " + all + " is left"
                     : fmt::format("{} of {} {} left", left, all, left == 1 ? "is" : "are"),
      study.trials.until || study.trials.is_for_verdicts ? "at most " : "",
      study.trials.count,
      format_count(static_cast<std::int64_t>(matrix.cells.size()), "cell"),
      matrix.scaling == Scaling::kNone ? "" : " (" + to_word(matrix.scaling) + " scaling)",
      study.order.design == OrderDesign::kBlocks ? "in blocks of random order"
                                                 : "all trials of a cell in a row",
      study.order.seed,
      matrix.excluded.empty()
          ? ""
          : fmt::format(
                " The study leaves out {}.",
                format_count(static_cast<std::int64_t>(matrix.excluded.size()), "further cell")));
}

std::string time_text(const Study& study,
                      const Matrix& matrix,
                      const TrialCounts& all,
                      const TrialCounts& left,
                      const PlanHistory& history) {
  if (study.search) {
    return search_text(study, matrix, history);
  }
  const bool is_left = sum_of(left) > 0;
  const TrialCounts& trials = is_left ? left : all;
  const auto times_s = trial_times_s(matrix, history);
  if (!times_s) {
    return fmt::format(
        "How long they take is unknown until one has run; at most {} (each at its time limit).",
        format_duration(study.limits.timeout_s.value_or(kFirstTimeLimitS) *
                        static_cast<double>(sum_of(trials))));
  }
  return fmt::format(
      "{} about {}, estimated from earlier trials of {} of {} cells.",
      is_left ? "They take" : "All of them take",
      format_duration(std::inner_product(trials.begin(), trials.end(), times_s->begin(), 0.0)),
      known_times(matrix, history).cells,
      matrix.cells.size());
}

Purchase trials_within(const std::string& budget,
                       const Study& study,
                       const Matrix& matrix,
                       const PlanHistory& history,
                       const std::string& results) {
  const Quantity asked = parse_duration_s(budget);
  if (!asked.value || !(*asked.value > 0.0)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--budget {}: needs a duration above 0, e.g. 8h or 90min", budget));
  }
  if (study.search) {
    throw Error(
        ErrorKind::kUsage,
        fmt::format("--budget {0}: a search has its own; try --set search.budget={0}", budget));
  }
  const Known known = known_times(matrix, history);
  if (known.cells == 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--budget {}: no trial of these cells has run, so what one takes is "
                            "unknown; a short run is a pilot: scalestudy run STUDY --set "
                            "trials.count=3",
                            budget));
  }
  const double block_s = known.mean_s() * static_cast<double>(matrix.cells.size());
  const double blocks = std::floor(*asked.value / block_s);
  if (!(blocks >= 1.0)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--budget {}: one trial of each cell takes about {}",
                            budget,
                            format_duration(block_s)));
  }
  const double most = std::min<double>(
      kMostTrialsOfCell,
      std::floor(static_cast<double>(kMostTrials) / static_cast<double>(matrix.cells.size())));
  const int trials = static_cast<int>(std::min(blocks, most));
  return {
      trials,
      fmt::format("{} buys {} of each cell{}{} (the study declares {}): one of each takes about "
                  "{}, estimated from earlier trials of {} of {} cells.",
                  format_duration(*asked.value),
                  format_count(trials, "trial"),
                  more_text(study, trials, results),
                  blocks > most ? ", the most that are allowed" : "",
                  study.trials.count,
                  format_duration(block_s),
                  known.cells,
                  matrix.cells.size())};
}

std::string sessions_text(const Study& study, const Matrix& matrix, const PlanHistory& history) {
  constexpr std::size_t fewest = 3;
  std::int64_t most = 0;
  std::size_t known = 0;
  bool has_other_steps = false;
  for (const Cell& cell : matrix.cells) {
    const auto past = history.find(cell.hash);
    const std::vector<double> means_s =
        past == history.end() ? std::vector<double>{} : past->second.session_means_s();
    if (means_s.size() < fewest) {
      has_other_steps =
          has_other_steps ||
          (past != history.end() && past->second.step_time_s.size() < past->second.wall_s.size());
      continue;
    }
    const auto needed = trials_for_precision(study, means_s, study.analysis.margin);
    known += needed ? 1 : 0;
    most =
        std::max(most, needed ? needed->n.value_or(std::numeric_limits<std::int64_t>::max()) : 0);
  }
  if (known == 0) {
    return fmt::format(
        "sessions: unknown how much they differ, until a cell has run in {}{}. Intervals within "
        "one session leave that out, and more trials do not make up for it.",
        fewest,
        has_other_steps ? " with the steps that the study now asks for" : "");
  }
  return fmt::format(
      "sessions: an interval over sessions is within {} with {} of them for the cell that needs "
      "most, "
      "of {} that ran in {} or more.",
      format_percent(study.analysis.margin),
      most == std::numeric_limits<std::int64_t>::max() ? "more than 10^9" : std::to_string(most),
      format_count(static_cast<std::int64_t>(known), "cell"),
      fewest);
}

}  // namespace scalestudy
