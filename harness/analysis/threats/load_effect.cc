#include "harness/analysis/threats/load_effect.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "harness/store/cell_name.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/distributions.h"
#include "stats/event_effect.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// A higher level warns more often of harmless load, a lower one misses harmful load.
constexpr double kEffectLevel = 0.9;

bool contains(const std::vector<const CellObservation*>& cells, const CellObservation* cell) {
  return std::ranges::find(cells, cell) != cells.end();
}

// By how much the load lengthened the loaded trials of each cell at most, as a log ratio. Trials
// without a reading count as quiet: if they were not, the effect looks smaller.
stats::EventEffect slowdowns(const StudyObservation& observation,
                             const Study& study,
                             const ReadLoad& read) {
  LoadBlocks blocks(study);
  std::vector<stats::MetValue> values;
  for (const CellObservation& cell : observation.cells) {
    for (const TrialObservation& trial : cell.trials) {
      const auto time = trial.metrics.find(kStepTime);
      if (time != trial.metrics.end() && time->second.mean > 0.0) {
        values.push_back({.y = std::log(time->second.mean),
                          .cell = cell.row.id,
                          .block = blocks.of(trial.row),
                          .is_met = read(trial) == LoadReading::kLoaded});
      }
    }
  }
  return stats::event_effect(values, kEffectLevel);
}

// A speedup, or the step time of a cell.
struct Touched {
  const CellObservation* cell = nullptr;
  const CellObservation* base = nullptr;  // null: a step time
  double shift = 0.0;                     // by the load at most, as a log ratio
  std::optional<double> half_width;       // of its interval, likewise
  bool is_met = false;                    // whether load met a trial of a side
};

std::optional<double> log_half_width(const std::optional<double>& lo,
                                     const std::optional<double>& hi) {
  return lo && hi && *lo > 0.0 ? std::optional(0.5 * std::log(*hi / *lo)) : std::nullopt;
}

// The largest shift that changes no answer. A value without an interval has the margin alone.
double tolerance(const std::optional<double>& half_width, double margin) {
  const double half_margin = 0.5 * std::log1p(margin);
  return half_width ? std::min(0.25 * *half_width, half_margin) : half_margin;
}

// The logarithm of the mean time of those of the trials over what it would be without load.
double lengthened(const CellObservation& cell,
                  double slowdown,
                  const ReadLoad& read,
                  const std::optional<TrialIds>& among = {}) {
  const std::set<std::int64_t> ids =
      among ? std::set<std::int64_t>(among->begin(), among->end()) : std::set<std::int64_t>();
  double loaded = 0.0;
  double trials = 0.0;
  for (const TrialObservation& trial : cell.trials) {
    if (!among || ids.contains(trial.row.id)) {
      trials += 1.0;
      loaded += read(trial) == LoadReading::kLoaded ? 1.0 : 0.0;
    }
  }
  return trials == 0.0 ? 0.0 : std::log1p(loaded / trials * std::expm1(std::max(0.0, slowdown)));
}

// The results of a study, as load may have changed them.
struct TouchedResults {
  std::vector<Touched> answers;  // speedups, and step times of cells without one
  std::vector<Touched> times;    // of cells with a speedup
};

TouchedResults touched_results(const StudyObservation& observation,
                               const Results& results,
                               const std::map<std::int64_t, double>& slowdown,
                               const ReadLoad& read) {
  const auto slowed = [&](std::int64_t id) {
    const auto found = slowdown.find(id);
    return found == slowdown.end() ? 0.0 : found->second;
  };
  const auto is_met = [&](const CellObservation& cell) {
    return std::ranges::any_of(cell.trials, [&](const TrialObservation& trial) {
      return read(trial) == LoadReading::kLoaded;
    });
  };
  TouchedResults all;
  std::set<std::int64_t> compared;
  for (const ComparisonRow& row : results.comparisons) {
    const CellObservation* cell = observation.find_cell(row.cell_id);
    const CellObservation* base = observation.find_cell(row.baseline_cell_id);
    if (row.quantity != names::kSpeedup || !row.value || cell == nullptr || base == nullptr) {
      continue;
    }
    compared.insert({row.cell_id, row.baseline_cell_id});
    all.answers.push_back(
        {.cell = cell,
         .base = base,
         .shift = lengthened(*base, slowed(base->row.id), read, row.baseline_trials) -
                  lengthened(*cell, slowed(cell->row.id), read, row.trials),
         .half_width = log_half_width(row.lo, row.hi),
         .is_met = is_met(*cell) || is_met(*base)});
  }
  for (const EstimateRow& row : results.estimates) {
    const bool is_step_time = row.metric == kStepTime && row.statistic == Statistic::kMean &&
                              row.variant == Variant::kAll && row.value;
    const CellObservation* cell = is_step_time ? observation.find_cell(row.cell_id) : nullptr;
    if (cell != nullptr) {
      (compared.contains(row.cell_id) ? all.times : all.answers)
          .push_back({.cell = cell,
                      .shift = lengthened(*cell, slowed(row.cell_id), read),
                      .half_width = log_half_width(row.lo, row.hi),
                      .is_met = is_met(*cell)});
    }
  }
  return all;
}

// Cells that are certainly not the best of those with their baseline.
std::set<std::int64_t> beaten_cells(const std::vector<ComparisonRow>& choices) {
  std::set<std::int64_t> beaten;
  for (const ComparisonRow& row : choices) {
    if (row.quantity == names::kFastest && row.verdict == Verdict::kSlower) {
      beaten.insert(row.cell_id);
    }
  }
  return beaten;
}

std::string percent(double log_ratio) {
  return format_plain(100.0 * std::abs(std::expm1(log_ratio))) + " %";
}

// "A, B and 2 more cells"
std::string names_of(const std::vector<const CellObservation*>& cells, std::size_t most) {
  std::vector<std::string> names;
  for (const CellObservation* cell : cells) {
    if (names.size() < most) {
      names.push_back(describe_cell(cell->row));
    }
  }
  return join(names, ", ") +
         (cells.size() > most
              ? " and " + format_count(std::ssize(cells) - std::ssize(names), "more cell")
              : "");
}

// Which results are in doubt, and why.
class Doubts {
 public:
  // - is_estimated: whether the trials say how long load made a trial.
  Doubts(const StudyObservation& observation,
         const ReadLoad& read,
         const Crowding& crowding,
         bool is_estimated)
      : is_estimated_(is_estimated), is_of_all_(crowding.is_of_all) {
    for (const CellObservation& cell : observation.cells) {
      if (!cell.trials.empty() && std::ranges::all_of(cell.trials, [&](const auto& trial) {
            return read(trial) == LoadReading::kLoaded;
          })) {
        without_quiet_.push_back(&cell);
      }
    }
    for (const CrowdedCell& crowded : crowding.cells) {
      if (!contains(without_quiet_, crowded.cell)) {  // whose sentence says more
        crowded_p_ = crowded_.empty() ? crowded.p : crowded_p_;
        crowded_.push_back(crowded.cell);
      }
    }
    crowded_p_ = is_of_all_ ? crowding.cells.front().p : crowded_p_;
  }

  // - returns: whether the result is in doubt.
  bool add(const Touched& result, double margin) {
    const double most = tolerance(result.half_width, margin);
    if (is_of(without_quiet_, result)) {
      return true;
    }
    if (result.is_met && !is_estimated_) {
      has_too_few_ = true;
      return true;
    }
    const bool is_shifted = std::abs(result.shift) > most;
    if (is_shifted && (shifted_ == nullptr || std::abs(result.shift) > std::abs(shift_))) {
      shifted_ = result.cell;
      shift_ = result.shift;
      limit_ = !result.half_width || most < 0.25 * *result.half_width
                   ? fmt::format("half the margin of {}", format_percent(margin))
                   : fmt::format("a quarter of its interval's half-width ({})",
                                 percent(*result.half_width));
    }
    return is_shifted || is_of(crowded_, result);
  }

  std::string words() const {
    constexpr std::size_t named = 1;
    std::vector<std::string> all;
    if (!without_quiet_.empty()) {
      all.push_back(fmt::format("Such load met all trials of {}; its effect there is unknown.",
                                names_of(without_quiet_, named)));
    }
    if (!crowded_.empty() || is_of_all_) {
      all.push_back(
          fmt::format("Such load met {} more often than chance explains ({}), which biases "
                      "comparisons.",
                      is_of_all_ ? "some cells" : names_of(crowded_, named),
                      say_p_value(crowded_p_)));
    }
    if (has_too_few_) {
      all.emplace_back("There are too few trials to tell how that changed the results.");
    }
    if (shifted_ != nullptr) {
      all.push_back(
          fmt::format("Without that load, the result for {} could change by {}, more than {}.",
                      describe_cell(shifted_->row),
                      percent(shift_),
                      limit_));
    }
    return join(all, " ");
  }

 private:
  static bool is_of(const std::vector<const CellObservation*>& cells, const Touched& result) {
    return contains(cells, result.cell) || contains(cells, result.base);
  }

  bool is_estimated_;
  bool is_of_all_;
  bool has_too_few_ = false;
  std::vector<const CellObservation*> without_quiet_;
  std::vector<const CellObservation*> crowded_;  // those of them with quiet trials
  double crowded_p_ = 1.0;                       // of the test that named the first of these
  const CellObservation* shifted_ = nullptr;     // the most
  double shift_ = 0.0;                           // of `shifted_`
  std::string limit_;                            // that this exceeds
};

// Of load that leaves all speedups: "" unless it certainly made step times longer, and some by more
// than its interval and the margin allow.
std::string longer_times(const TouchedResults& touched,
                         const stats::EventEffect& slowdown,
                         double margin,
                         const ReadLoad& read) {
  if (slowdown.status != stats::Status::kOk) {
    return "";
  }
  const double error =
      stats::student_t_critical(2.0 * kEffectLevel - 1.0, static_cast<double>(slowdown.df)) *
      slowdown.se;
  double longest = 0.0;
  for (const Touched& time : touched.times) {
    const double longer = lengthened(*time.cell, slowdown.effect, read);
    if (longer > tolerance(time.half_width, margin)) {
      longest = std::max(longest, longer);
    }
  }
  return !(slowdown.effect > error) || longest == 0.0
             ? ""
             : fmt::format(
                   "Step times would be up to about {} shorter: times, rates and costs are those "
                   "of a busy machine.",
                   percent(-longest));
}

// "change", "change by more than 1.2 %"
std::string change_text(double most) {
  const std::string text = percent(most);
  return text == "0 %" ? "change" : "change by more than " + text;
}

double largest_shift(const std::vector<Touched>& results) {
  double largest = 0.0;
  for (const Touched& result : results) {
    largest = std::max(largest, std::abs(result.shift));
  }
  return largest;
}

}  // namespace

LoadEffect load_effect(const StudyObservation& observation,
                       const Study& study,
                       const Results& results,
                       const std::vector<ComparisonRow>& choices,
                       const ReadLoad& read) {
  const double margin = study.analysis.margin;
  const Crowding crowding = find_crowding(observation, study, read);
  const stats::EventEffect slowdown = slowdowns(observation, study, read);
  Doubts doubts(observation, read, crowding, slowdown.status == stats::Status::kOk);
  const TouchedResults touched = touched_results(observation, results, slowdown.upper, read);
  const std::set<std::int64_t> beaten = beaten_cells(choices);
  std::int64_t doubted = 0;
  std::int64_t headline = 0;
  std::int64_t doubted_headline = 0;
  for (const Touched& result : touched.answers) {
    const bool is_doubted = doubts.add(result, margin);
    const bool is_headline =
        result.cell->row.role == CellRole::kMeasured && !beaten.contains(result.cell->row.id);
    doubted += is_doubted ? 1 : 0;
    headline += is_headline ? 1 : 0;
    doubted_headline += is_headline && is_doubted ? 1 : 0;
  }
  const auto all = std::ssize(touched.answers);
  if (headline == 0) {  // the base alone may be the best: that follows from all results
    headline = all;
    doubted_headline = doubted;
  }
  if (doubted > 0 || crowding.is_of_all) {
    return {.is_warning = true,
            .is_limited = !crowding.is_of_all && 2 * doubted_headline < headline,
            .words = doubts.words() + (all < 2 || crowding.is_of_all
                                           ? ""
                                           : fmt::format(" {} of {} {} in doubt.",
                                                         doubted,
                                                         format_count(all, "result"),
                                                         doubted == 1 ? "is" : "are"))};
  }
  const double largest = largest_shift(touched.answers);
  const double longest = largest_shift(touched.times);
  if (const std::string longer = longer_times(touched, slowdown, margin, read); !longer.empty()) {
    return {.is_warning = true,
            .is_limited = true,
            .is_of_times = true,
            .words = fmt::format(
                "Without that load, no speedup would {}. {}", change_text(largest), longer)};
  }
  // Load on all cells alike leaves speedups as they are, and lengthens every step time.
  const bool has_longer = longest > largest;
  return {
      .words = fmt::format(
          "Without that load, no {} would {}{}.",
          has_longer ? "speedup" : "result",
          change_text(largest),
          has_longer ? ", and step times would be at most " + percent(-longest) + " shorter" : "")};
}

}  // namespace scalestudy
