#include "harness/analysis/studies/settle.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/analysis/compare/findings.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/distributions.h"

namespace scalestudy {
namespace {

constexpr double kSettlingPower = 0.8;
constexpr std::int64_t kMostTimes = 4;  // as many blocks as the study has

bool is_open(const ComparisonRow& row) {
  return row.quantity == kSpeedup && row.verdict == Verdict::kNoDetectableDifference && row.value &&
         row.lo && row.hi && *row.lo > 0.0 && *row.hi > *row.lo && row.n >= 2;
}

// Spread of a block's logarithm of the ratio, from the interval of the row. The level allows for as
// many comparisons as its verdict does, those that choose the best among them.
OpenRatio open_ratio(const ComparisonRow& row, const Study& study) {
  const std::int64_t comparisons = std::max<std::int64_t>(row.family_size.value_or(1), 1);
  const auto n = static_cast<double>(row.n);
  const double error =
      std::log(*row.hi / *row.lo) / 2.0 / stats::student_t_critical(row.confidence, n - 1.0);
  return {.log_ratio = std::log(*row.value),
          .log_sd = error * std::sqrt(n),
          .log_margin = std::log1p(row.margin),
          .alpha = (1.0 - study.analysis.confidence) / static_cast<double>(comparisons)};
}

// By the mean wall time of the trials of each cell; of cells without one, by that of the others.
double block_time_s(const StudyObservation& observation) {
  double sum_s = 0.0;
  double known = 0.0;
  for (const CellObservation& cell : observation.cells) {
    double cell_s = 0.0;
    double trials = 0.0;
    for (const TrialObservation& trial : cell.trials) {
      if (trial.row.wall_s) {
        cell_s += *trial.row.wall_s;
        trials += 1.0;
      }
    }
    if (trials > 0.0) {
      sum_s += cell_s / trials;
      known += 1.0;
    }
  }
  return known > 0.0 ? sum_s / known * static_cast<double>(observation.cells.size()) : 0.0;
}

// The study may say fewer than were run with another count.
int blocks_so_far(const StudyObservation& observation, const Study& study) {
  std::int64_t blocks = study.trials.count;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      blocks = std::max(blocks, trial.row.block + 1);
    }
  }
  return static_cast<int>(blocks);
}

std::string cell_named(const StudyObservation& observation, const Study& study, std::int64_t id) {
  const CellObservation* cell = observation.find_cell(id);
  return cell == nullptr ? "" : describe_cell(cell->row, study.labels);
}

// "1 comparison (size=2)", "7 comparisons": names where there are few, which keeps a first screen
// short.
std::string counted(const std::vector<std::string>& cells, const std::string& adjective) {
  constexpr std::size_t most_names = 2;
  return fmt::format("{} {}comparison{}{}",
                     cells.size(),
                     adjective,
                     cells.size() == 1 ? "" : "s",
                     cells.size() > most_names ? "" : " (" + join(cells, "; ") + ")");
}

}  // namespace

std::optional<std::int64_t> blocks_that_decide(const OpenRatio& open,
                                               std::int64_t least,
                                               std::int64_t most) {
  for (std::int64_t blocks = std::max<std::int64_t>(least, 2); blocks <= most; ++blocks) {
    const auto n = static_cast<double>(blocks);
    const double error = open.log_sd / std::sqrt(n);
    const auto missed = [&](double distance, double level) {
      const double critical = stats::student_t_critical(level, n - 1.0);
      return stats::student_t_upper_tail(distance / error - critical, n - 1.0);
    };
    const double equivalent = 1.0 -
                              missed(open.log_margin - open.log_ratio, 1.0 - 2.0 * open.alpha) -
                              missed(open.log_margin + open.log_ratio, 1.0 - 2.0 * open.alpha);
    const double different = 1.0 - missed(std::abs(open.log_ratio), 1.0 - open.alpha);
    if (std::max(equivalent, different) >= kSettlingPower) {
      return blocks;
    }
  }
  return std::nullopt;
}

std::optional<Settling> what_settles(const StudyObservation& observation,
                                     const Study& study,
                                     const std::vector<ComparisonRow>& comparisons,
                                     double budget_s) {
  const auto is_waiting = [](const CellObservation& cell) { return cell.waiting > 0; };
  if (study.search || study.trials.until || study.trials.is_for_verdicts ||
      std::ranges::any_of(observation.cells, is_waiting) ||
      std::ranges::none_of(comparisons, is_open)) {
    return std::nullopt;
  }
  const double block_s = block_time_s(observation);
  const double affordable = block_s > 0.0 ? std::floor(budget_s / block_s) : 0.0;
  Settling settling;
  settling.has_budget = std::isfinite(budget_s);
  for (const ComparisonRow& row : comparisons) {
    if (!is_open(row)) {
      continue;
    }
    const std::string name = cell_named(observation, study, row.cell_id);
    if (row.method == RatioMethod::kSessions) {
      settling.nightly.push_back(name);
      continue;
    }
    const auto most = static_cast<std::int64_t>(
        std::min(static_cast<double>(kMostTimes * row.n), static_cast<double>(row.n) + affordable));
    const auto needed = blocks_that_decide(open_ratio(row, study), row.n + 1, most);
    (needed ? settling.settled : settling.beyond).push_back(name);
    settling.more_blocks = std::max(settling.more_blocks, needed ? *needed - row.n : 0);
  }
  settling.count = blocks_so_far(observation, study) + static_cast<int>(settling.more_blocks);
  settling.time_s = static_cast<double>(settling.more_blocks) * block_s;
  return settling;
}

std::string settling_sentence(const Settling& settling) {
  if (settling.settled.empty() && settling.beyond.empty()) {
    return "";
  }
  const bool is_one = settling.beyond.size() == 1;
  if (settling.more_blocks == 0) {
    return fmt::format("{} {} open. {} would probably not settle {}.",
                       counted(settling.beyond, ""),
                       is_one ? "is" : "are",
                       settling.has_budget
                           ? "The blocks that fit into the budget"
                           : fmt::format("Even {} times as many trials", kMostTimes),
                       is_one ? "it" : "them");
  }
  return fmt::format("{} (about {}) would probably settle {}.{}",
                     format_count(settling.more_blocks, "more block"),
                     format_duration(settling.time_s),
                     counted(settling.settled, "open "),
                     settling.beyond.empty()
                         ? ""
                         : fmt::format(" {} would stay open.", counted(settling.beyond, "")));
}

std::vector<std::string> settling_lines(const Settling& settling, const std::string& run) {
  std::vector<std::string> lines;
  if (const std::string of_blocks = settling_sentence(settling); !of_blocks.empty()) {
    lines.push_back(
        settling.more_blocks == 0
            ? of_blocks
            : fmt::format(
                  "{} To run them: {} --set trials.count={}", of_blocks, run, settling.count));
  }
  if (!settling.nightly.empty()) {
    lines.push_back(fmt::format(
        "{} need{} more sessions; more blocks in one session do not help. Each further run that "
        "adds a block is one. The next: {} --set trials.count={}",
        counted(settling.nightly, "open "),
        settling.nightly.size() == 1 ? "s" : "",
        run,
        settling.count + 1));
  }
  return lines;
}

std::vector<ThreatRow> settling_threats(const StudyObservation& observation,
                                        const Study& study,
                                        const std::vector<ComparisonRow>& comparisons) {
  const std::optional<Settling> settling = what_settles(observation, study, comparisons);
  if (!settling) {
    return {};
  }
  std::vector<ThreatRow> notes;
  for (const std::string& line : settling_lines(*settling, "scalestudy run " + study.name)) {
    notes.push_back({ThreatKind::kUndecided, Severity::kNote, line});
  }
  return notes;
}

}  // namespace scalestudy
