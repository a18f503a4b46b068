#include "harness/analysis/studies/settle.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "harness/analysis/compare/findings.h"
#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/distributions.h"

namespace scalestudy {
namespace {

constexpr double kSettlingPower = 0.8;
constexpr double kPossiblePower = 0.5;
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
  const double sides = row.method == RatioMethod::kIndependent ? 2.0 : 1.0;
  const double error = std::log(*row.hi / *row.lo) / 2.0 /
                       stats::student_t_critical(row.confidence, sides * (n - 1.0));
  return {.log_ratio = std::log(*row.value),
          .log_sd = error * std::sqrt(n),
          .log_margin = std::log1p(row.margin),
          .alpha = (1.0 - study.analysis.confidence) / static_cast<double>(comparisons),
          .sides = study.order.design == OrderDesign::kBlocks ? 1.0 : 2.0};
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

// What the most blocks may do, where no number of them can be recommended.
std::string chances_sentence(const Settling& settling) {
  const std::string most = settling.has_budget ? "The blocks that fit into the budget"
                                               : fmt::format("{} times as many trials", kMostTimes);
  std::vector<std::string> sentences;
  const auto add = [&](const std::vector<std::string>& cells, const auto& say) {
    if (!cells.empty()) {
      const bool is_one = cells.size() == 1;
      sentences.push_back(fmt::format("{} {} open. {}",
                                      counted(cells, ""),
                                      is_one ? "is" : "are",
                                      say(is_one ? "it" : "them")));
    }
  };
  add(settling.possible, [&](const char* them) {
    return fmt::format("{} would settle {} with a chance of {} to {} %.",
                       most,
                       them,
                       100.0 * kPossiblePower,
                       100.0 * kSettlingPower);
  });
  add(settling.beyond, [&](const char* them) {
    return fmt::format(
        "{}{} would probably not settle {}.", settling.has_budget ? "" : "Even ", most, them);
  });
  return join(sentences, " ");
}

}  // namespace

double chance_to_decide(const OpenRatio& open, std::int64_t blocks) {
  const auto n = static_cast<double>(blocks);
  const double df = open.sides * (n - 1.0);
  const double error = open.log_sd / std::sqrt(n);
  const auto missed = [&](double distance, double level) {
    const double critical = stats::student_t_critical(level, df);
    return stats::student_t_upper_tail(distance / error - critical, df);
  };
  const double equivalent = 1.0 - missed(open.log_margin - open.log_ratio, 1.0 - 2.0 * open.alpha) -
                            missed(open.log_margin + open.log_ratio, 1.0 - 2.0 * open.alpha);
  const double different = 1.0 - missed(std::abs(open.log_ratio), 1.0 - open.alpha);
  return std::max(equivalent, different);
}

std::optional<std::int64_t> blocks_that_decide(const OpenRatio& open,
                                               std::int64_t least,
                                               std::int64_t most) {
  for (std::int64_t blocks = std::max<std::int64_t>(least, 2); blocks <= most; ++blocks) {
    if (chance_to_decide(open, blocks) >= kSettlingPower) {
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
  Settling settling;
  settling.has_budget = std::isfinite(budget_s);
  settling.is_imported = observation.imported.has_value();
  const double affordable = block_s > 0.0         ? std::floor(budget_s / block_s)
                            : settling.has_budget ? 0.0
                                                  : budget_s;
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
    const OpenRatio open = open_ratio(row, study);
    const auto needed = blocks_that_decide(open, row.n + 1, most);
    const bool is_possible = most > row.n && chance_to_decide(open, most) >= kPossiblePower;
    (needed ? settling.settled : is_possible ? settling.possible : settling.beyond).push_back(name);
    settling.more_blocks = std::max(settling.more_blocks, needed ? *needed - row.n : 0);
  }
  settling.count = blocks_so_far(observation, study) + static_cast<int>(settling.more_blocks);
  settling.time_s = static_cast<double>(settling.more_blocks) * block_s;
  return settling;
}

std::string settling_sentence(const Settling& settling) {
  if (settling.more_blocks == 0) {
    return chances_sentence(settling);
  }
  std::vector<std::string> open = settling.possible;
  std::ranges::copy(settling.beyond, std::back_inserter(open));
  const std::string more = settling.is_imported
                               ? format_count(settling.more_blocks, "more run") + " of each cell"
                               : fmt::format("{} (about {})",
                                             format_count(settling.more_blocks, "more block"),
                                             format_duration(settling.time_s));
  return fmt::format("{} would probably settle {}.{}",
                     more,
                     counted(settling.settled, "open "),
                     open.empty() ? "" : fmt::format(" {} may stay open.", counted(open, "")));
}

std::vector<std::string> settling_lines(const Settling& settling, const std::string& run) {
  std::vector<std::string> lines;
  if (const std::string of_blocks = settling_sentence(settling); !of_blocks.empty()) {
    lines.push_back(
        settling.more_blocks == 0 || settling.is_imported
            ? of_blocks
            : fmt::format("{} To run them (a second look, as the report will say): {} --set "
                          "trials.count={}",
                          of_blocks,
                          run,
                          settling.count));
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
