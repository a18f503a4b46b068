#include "harness/cli/plan/plan_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "harness/analysis/search/search_race.h"
#include "harness/analysis/studies/pilot.h"
#include "harness/base/error.h"
#include "harness/run/attempt/time_limit.h"
#include "harness/text/number.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"

namespace scalestudy {

namespace {

std::string search_text(const Study& study, const Matrix& matrix, const History& history) {
  const Search& search = *study.search;
  const std::size_t settings = matrix.cells.size();
  std::string bound = "trials of " + format_duration(search.budget_s);
  if (search.max_trials) {
    bound += fmt::format(", and {} of them", *search.max_trials);
  }
  double known_s = 0.0;
  double known = 0.0;
  for (const Cell& cell : matrix.cells) {
    if (const auto past = history.find(cell.hash); past != history.end()) {
      known_s += past->second.mean_wall_s();
      known += 1.0;
    }
  }
  std::string holds;
  if (known > 0.0) {
    const double trials = std::floor(search.budget_s * known / known_s);
    holds = fmt::format("; by earlier trials of {} of {} settings that is about {} trials",
                        known,
                        settings,
                        trials);
    if (trials < 2.0 * static_cast<double>(settings)) {
      holds += fmt::format(", too few for a race: a block of all settings takes about {}",
                           format_duration(known_s / known * static_cast<double>(settings)));
    }
  }
  return fmt::format(
      "search: {} settings. A race, at least one block of all ({} trials), each later round half "
      "as many settings; then at least {} fresh blocks of the winner, up to {} simpler settings "
      "and the default. The budget is {}: half for the race, which may go over it by a block, the "
      "rest for as many fresh blocks as find {} with a power of 0.8{}",
      settings,
      settings,
      kLeastFreshBlocks,
      kMostCandidates,
      bound,
      format_percent(study.analysis.margin),
      holds);
}

}  // namespace

std::string time_text(const Study& study,
                      const Matrix& matrix,
                      const std::vector<ScheduledTrial>& trials,
                      const History& history) {
  if (study.search) {
    return search_text(study, matrix, history);
  }
  double known_s = 0.0;
  std::size_t known = 0;
  for (const ScheduledTrial& trial : trials) {
    const auto entry = history.find(matrix.cells.at(trial.cell).hash);
    if (entry != history.end()) {
      known_s += entry->second.mean_wall_s();
      ++known;
    }
  }
  if (known == 0) {
    return fmt::format(
        "time unknown until a trial has run; at most {} (every trial at its timeout)",
        format_duration(study.limits.timeout_s.value_or(kFirstTimeLimitS) *
                        static_cast<double>(trials.size())));
  }
  const double mean_s = known_s / static_cast<double>(known);
  const double total_s = known_s + mean_s * static_cast<double>(trials.size() - known);
  return fmt::format("about {}, from earlier trials of {} of {} trials' cells",
                     format_duration(total_s),
                     known,
                     trials.size());
}

Purchase trials_within(const std::string& budget,
                       const Study& study,
                       const Matrix& matrix,
                       const History& history) {
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
  double known_s = 0.0;
  std::size_t known = 0;
  for (const Cell& cell : matrix.cells) {
    if (const auto past = history.find(cell.hash); past != history.end()) {
      known_s += past->second.mean_wall_s();
      ++known;
    }
  }
  if (known == 0) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--budget {}: no trial of these cells has run, so what one takes is "
                            "unknown; a short run is a pilot: scalestudy run STUDY --set "
                            "trials.count=3",
                            budget));
  }
  const double block_s =
      known_s / static_cast<double>(known) * static_cast<double>(matrix.cells.size());
  const double blocks = std::floor(*asked.value / block_s);
  if (!(blocks >= 1.0)) {
    throw Error(ErrorKind::kUsage,
                fmt::format("--budget {}: one trial of each cell takes about {}",
                            budget,
                            format_duration(block_s)));
  }
  const double most =
      std::floor(static_cast<double>(kMostTrials) / static_cast<double>(matrix.cells.size()));
  const int trials = static_cast<int>(std::min(blocks, most));
  return {trials,
          fmt::format("{} buys {} trial{} of each cell{} (the study declares {}): one of each "
                      "takes about {}, from earlier trials of {} of {} cells",
                      format_duration(*asked.value),
                      trials,
                      trials == 1 ? "" : "s",
                      blocks > most ? ", as many as a study may have," : "",
                      study.trials.count,
                      format_duration(block_s),
                      known,
                      matrix.cells.size())};
}

std::string sessions_text(const Study& study, const Matrix& matrix, const History& history) {
  constexpr std::size_t fewest = 3;
  std::int64_t most = 0;
  std::size_t known = 0;
  for (const Cell& cell : matrix.cells) {
    const auto past = history.find(cell.hash);
    const std::vector<double> means_s =
        past == history.end() ? std::vector<double>{} : past->second.session_means_s();
    if (means_s.size() < fewest) {
      continue;
    }
    const auto needed = trials_for_precision(study, means_s, study.analysis.margin);
    known += needed ? 1 : 0;
    most =
        std::max(most, needed ? needed->n.value_or(std::numeric_limits<std::int64_t>::max()) : 0);
  }
  if (known == 0) {
    return fmt::format(
        "sessions: how much they differ is unknown until a cell has run in {}; intervals within "
        "one "
        "leave that out, more trials do not make up for it",
        fewest);
  }
  return fmt::format(
      "sessions: an interval over sessions is within {:g} % with {} of them (the cell that needs "
      "most, of {} that ran in {} or more)",
      100.0 * study.analysis.margin,
      most == std::numeric_limits<std::int64_t>::max() ? "more than 10^9" : std::to_string(most),
      known,
      fewest);
}

}  // namespace scalestudy
