#include "harness/analysis/compare/findings.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "harness/analysis/cells/sessions.h"
#include "harness/analysis/compare/survivors.h"
#include "harness/analysis/compare/verdict_word.h"
#include "harness/analysis/observe/flags.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "stats/planning.h"

namespace scalestudy {
namespace {

// A comparison's quantity in its unit: shares as percentages, ratios as factors. The ends show on
// which side of no difference they lie, and beyond the margin where the verdict says so.
std::string format_quantity(const Comparison& comparison, const stats::Estimate& x) {
  const std::string& quantity = comparison.row.quantity;
  std::vector<double> levels = {1.0};
  if (comparison.verdict.beyond_margin) {
    const double margin = 1.0 + comparison.row.margin;
    levels.push_back(comparison.ratio.interval.ratio.value_or(1.0) > 1.0 ? margin : 1.0 / margin);
  }
  if (is_overhead(quantity)) {
    std::ranges::transform(levels, levels.begin(), [](double level) { return 1.0 - level; });
  }
  return quantity == kEfficiency || is_overhead(quantity)
             ? format_share(measure_of(x), " %", levels)
             : format_interval(measure_of(x), {.unit = "x", .levels = levels});
}

// "a; b", without the empty ones.
std::string join_some(std::vector<std::string> texts, std::string_view separator) {
  std::erase(texts, "");
  return join(texts, separator);
}

// How the trials were used: what was done, not what was declared.
std::string describe_use(const Comparison& comparison) {
  const ComparisonRow& row = comparison.row;
  const auto count = static_cast<std::int64_t>(comparison.ratio.interval.n_b);
  if (row.method == RatioMethod::kPaired) {
    return "paired over " + format_count(count, "block");
  }
  if (row.method == RatioMethod::kSessions) {
    return "paired over the means of " + format_count(count, "session");
  }
  return std::to_string(row.n) + " against " + format_count(row.n_baseline, "trial") +
         (comparison.ratio.is_blocked ? " of blocks that hold both" : "");
}

// Which trials that leaves out, and what the interval is about where sessions are not its unit. ""
// if a side has no trial.
std::string describe_scope(const Comparison& comparison) {
  if (comparison.cell->trials.empty() || comparison.base->trials.empty()) {
    return "";
  }
  const TimeRatio& ratio = comparison.ratio;
  const bool is_within = ratio.sessions > 1 && comparison.row.method != RatioMethod::kSessions;
  return join_some(
      {ratio.left_out + ratio.left_out_base == 0
           ? ""
           : "left out without a partner: " + format_count(ratio.left_out, "trial") +
                 " of this cell and " + std::to_string(ratio.left_out_base) + " of the other",
       has_other_shares(*comparison.base, *comparison.cell) ? "shares of sessions differ" : "",
       is_within ? "within these " + std::to_string(ratio.sessions) + " sessions" : ""},
      ", ");
}

// "with geometric means 1.98x [1.90, 2.06]" where it differs by more than a tenth of the
// half-width: launches of one side are slow now and then, and machine time counts them.
std::string describe_geometric(const Comparison& comparison) {
  constexpr double least_share = 0.1;
  const stats::RatioInterval& interval = comparison.ratio.interval;
  const stats::RatioInterval& geometric = comparison.ratio.geometric;
  if (!interval.hi || !geometric.hi ||
      !(std::abs(std::log(*geometric.ratio / *interval.ratio)) >
        least_share * std::log(*interval.hi / *interval.ratio))) {
    return "";
  }
  return "with geometric means " +
         format_quantity(comparison, quantity_of(comparison.row.quantity, geometric));
}

// " (strong scaling, paired over 8 blocks)"; "" if a side has no trial.
std::string describe_design(const Comparison& comparison) {
  if (comparison.cell->trials.empty() || comparison.base->trials.empty()) {
    return "";
  }
  const ComparisonRow& row = comparison.row;
  const bool is_scaled = (row.quantity == kSpeedup || row.quantity == kEfficiency) &&
                         row.scaling != Scaling::kNone &&
                         comparison.cell->row.devices != comparison.base->row.devices;
  const std::string use = join_some({is_scaled ? to_word(row.scaling) + " scaling" : "",
                                     describe_use(comparison),
                                     describe_scope(comparison)},
                                    ", ");
  return in_brackets(join_some({use, describe_geometric(comparison)}, "; "));
}

// The relative difference that four in five of such studies would detect, at the level by which
// Holm judges the smallest p of the family: the others are judged no more strictly.
std::optional<double> smallest_detectable(const Comparison& comparison) {
  const stats::RatioInterval& interval = comparison.ratio.interval;
  if (!interval.se_log || !interval.df) {
    return std::nullopt;
  }
  const double alpha =
      comparison.ratio.looks.level(comparison.alpha / static_cast<double>(comparison.family_size));
  const auto effect = stats::detectable_effect(*interval.df, alpha, /*power=*/0.8);
  return effect ? std::optional(std::expm1(*effect * *interval.se_log)) : std::nullopt;
}

// "with 8 comparisons allowed for", where there are more than one.
std::string allowing_for(const Comparison& comparison) {
  return comparison.family_size < 2
             ? ""
             : "with " + std::to_string(comparison.family_size) + " comparisons allowed for";
}

constexpr double kLargestFactor = 1000.0;  // that is said of a difference

// "about 2.42 %", "a factor of 12.3".
std::string say_difference(double relative) {
  const double factor = std::min(1.0 + relative, kLargestFactor);
  return are_factors(relative, {}, {}) ? "a factor of " + format_plain(factor)
                                       : "about " + format_plain(100.0 * relative) + " %";
}

// A verdict as a table has it, and what a table does not say.
struct VerdictText {
  std::string word;
  std::string joint;  // between the two
  std::string detail;

  std::string whole() const {
    return word + (word.empty() || detail.empty() ? "" : joint) + detail +
           (detail.empty() || joint != " (" ? "" : ")");
  }
};

VerdictText describe_undetected(const Comparison& comparison) {
  const ComparisonRow& row = comparison.row;
  const stats::RatioInterval& interval = comparison.ratio.interval;
  // The interval is of one comparison, the verdict of all.
  const bool is_of_adjustment = is_open_by_adjustment(row) && row.p_value && row.p_adjusted;
  std::string range;
  if (interval.lo && interval.hi) {
    const std::string change = format_change_range(*interval.lo, *interval.hi);
    range = is_of_adjustment ? "not after adjustment: its interval alone is " + change + ", but " +
                                   say_p_value(*row.p_value) + " becomes " +
                                   say_p_value(*row.p_adjusted) + " " + allowing_for(comparison)
                             : "could be " + change +
                                   (comparison.family_size < 2 ? "" : " (this comparison alone)");
  }
  std::string unseen;
  if (const std::optional<double> detectable = smallest_detectable(comparison)) {
    unseen = join_some({"a difference below " + say_difference(*detectable) +
                            " would go unseen more than one time in five",
                        is_of_adjustment ? "" : allowing_for(comparison)},
                       ", ");
  }
  return {"no significant difference", "; ", join_some({range, unseen}, ", and ")};
}

// What the verdict adds to a share of the step; "" when nothing.
std::string describe_overhead(const Comparison& comparison) {
  switch (comparison.verdict.word) {
    case stats::VerdictWord::kNotEnoughData:
      return "not enough data" + in_brackets(describe_lack(comparison));
    case stats::VerdictWord::kEquivalent:
      return "with and without it the step is equally long within +/-" +
             format_percent(comparison.row.margin);
    case stats::VerdictWord::kFaster:
      return "the run that it is compared with is the slower one";
    case stats::VerdictWord::kSlower:
      return comparison.verdict.beyond_margin
                 ? ""
                 : "detected, but perhaps below " + format_percent(comparison.row.margin);
    case stats::VerdictWord::kNoDetectableDifference:
      break;
  }
  const std::optional<double> detectable = smallest_detectable(comparison);
  return !detectable ? "not detected"
                     : join_some({"not detected; less than about " +
                                      format_plain(100.0 * *detectable / (1.0 + *detectable)) +
                                      " % of the step would go unseen more than one time in five",
                                  allowing_for(comparison)},
                                 ", ");
}

// The 95 % bound on the share of seeds that fail to train where none of n did: 1 - 0.05^(1/n).
std::string describe_unseen_failures(const Comparison& comparison) {
  const auto seeds = static_cast<double>(comparison.ratio.interval.n_b);
  return !comparison.is_of_seeds || seeds < 1.0
             ? ""
             : "for seeds that train; with no failure among " +
                   format_count(std::llround(seeds), "seed") + ", up to " +
                   format_plain(100.0 * (1.0 - std::pow(0.05, 1.0 / seeds))) +
                   " % may still fail (95 % bound)";
}

// "faster", "worse": the direction of a difference, whatever the verdict.
std::string in_direction(const Comparison& comparison) {
  const bool is_better = better_ratio(comparison).value.value_or(1.0) > 1.0;
  return to_word(stored_verdict(
      comparison, is_better ? stats::VerdictWord::kFaster : stats::VerdictWord::kSlower));
}

VerdictText describe_verdict(const Comparison& comparison) {
  const ComparisonRow& row = comparison.row;
  const std::string margin = format_percent(row.margin);
  const bool is_of_linear = row.quantity == kEfficiency;  // what the verdict is relative to
  if (const std::optional<NoClaim>& none = comparison.no_claim) {
    return {to_word(none->verdict), none->detail.empty() ? "" : ": ", none->detail};
  }
  if (is_overhead(row.quantity)) {
    return {"", "", describe_overhead(comparison)};
  }
  const std::string exact = describe_exact(comparison);
  switch (comparison.verdict.word) {
    case stats::VerdictWord::kNotEnoughData:
      return {"not enough data", " (", describe_lack(comparison)};
    case stats::VerdictWord::kEquivalent:
      return {std::string("equivalent") + (is_of_linear ? " to linear scaling" : "") +
                  " within +/-" + margin,
              " (",
              join_some({comparison.verdict.detectable_below_margin
                             ? in_direction(comparison) + ", by less than the margin"
                             : "",
                         describe_unseen_failures(comparison),
                         exact},
                        "; ")};
    case stats::VerdictWord::kFaster:
    case stats::VerdictWord::kSlower: {
      const std::string word = to_word(stored_verdict(comparison, comparison.verdict.word)) +
                               (is_of_linear ? " than linear scaling" : "");
      return comparison.verdict.beyond_margin
                 ? VerdictText{"", "", join_some({word + " by more than " + margin, exact}, "; ")}
                 : VerdictText{word, "; ", exact};
    }
    case stats::VerdictWord::kNoDetectableDifference:
      return describe_undetected(comparison);
  }
  return {};
}

// Of a control: what the study can tell apart is what it is for, whatever its verdict.
std::string describe_control(const Comparison& comparison) {
  if (comparison.row.quantity != kAa || comparison.no_claim) {
    return "";
  }
  const stats::VerdictWord word = comparison.verdict.word;
  const bool has_failed =
      word == stats::VerdictWord::kFaster || word == stats::VerdictWord::kSlower;
  const std::optional<double> detectable = smallest_detectable(comparison);
  const bool is_said = detectable && 1.0 + *detectable <= kLargestFactor &&
                       word != stats::VerdictWord::kNoDetectableDifference;
  const std::string seen = is_said ? "a difference of " + say_difference(*detectable) +
                                         " would be seen four times in five"
                                   : "";
  return join_some({has_failed ? "control failed" : "",
                    join_some({seen, is_said ? allowing_for(comparison) : ""}, ", ")},
                   "; ");
}

const char* subject_of(const std::string& quantity) {
  return quantity == kSynchronization ? "waiting for other ranks"
         : quantity == kTransfer      ? "moving gradients"
         : quantity == kOverlapGain   ? "overlap"
                                      : "communication";
}

const char* reference_of(const std::string& quantity) {
  return quantity == kSynchronization
             ? " that sends single elements, compared with the same run without communication"
         : quantity == kTransfer ? ", compared with the same run that sends single elements"
                                 : ", compared with the same run without it";
}

std::string describe_value(const Comparison& comparison) {
  const ComparisonRow& row = comparison.row;
  const CellRow& cell = comparison.cell->row;
  const CellRow& base = comparison.base->row;
  const std::string other = describe_against(base, cell);
  if (!row.value) {
    return is_overhead(row.quantity) || row.quantity == kOverlapGain
               ? std::string(subject_of(row.quantity)) + " not measured"
               : row.quantity + " over " + other + " not measured";
  }
  const std::string value =
      format_quantity(comparison, {.value = row.value, .lo = row.lo, .hi = row.hi});
  if (row.quantity == kEfficiency) {
    return "efficiency " + value + " relative to " + other;
  }
  if (is_overhead(row.quantity)) {
    const stats::RatioInterval& ratio = comparison.ratio.interval;
    if (are_factors(*row.value, row.lo, row.hi)) {
      return (row.quantity == kOverhead ? "without communication the step takes "
                                        : "the step of the control takes ") +
             format_interval({ratio.ratio, ratio.lo, ratio.hi}, {.unit = "x", .levels = {1.0}}) +
             " as long";
    }
    return std::string(subject_of(row.quantity)) + " takes " + value + " of the step" +
           reference_of(row.quantity);
  }
  if (row.quantity == kOverlapGain) {
    return "overlap: " + value + " the throughput of the same calls waited for at once";
  }
  if (row.quantity == kAa) {
    return value + " the throughput of the same cell under its first name";
  }
  if (is_cheapest(row.quantity)) {
    const std::string price =
        row.quantity == kCheapest ? "" : " at " + row.quantity.substr(kCheapest.size() + 1);
    return value + " the samples for the same cost" + price + " as " + other;
  }
  if (comparison.request != nullptr) {
    return value + " the " + (comparison.request->by == TrialStatistic::kP50 ? "median " : "") +
           row.quantity + " of " + other;
  }
  const bool has_work = cell.batch_global.has_value() && base.batch_global.has_value();
  return value + (has_work ? " the throughput of " : " the speed of ") + other;
}

// No interval for a mean covers rare states met by chance; what is the same in all trials met none.
// "" where there is no ratio that they could change.
std::string slow_launches_note(const Comparison& comparison) {
  return comparison.row.value && describe_exact(comparison).empty() &&
                 (has_rare_slow_trials(*comparison.cell) || has_rare_slow_trials(*comparison.base))
             ? "slow launches among fewer than " + std::to_string(kTrialsToMeetRareStates) +
                   " trials: no method covers that"
             : "";
}

}  // namespace

bool is_overhead(const std::string& quantity) {
  return quantity == kOverhead || quantity == kSynchronization || quantity == kTransfer;
}

stats::Estimate quantity_of(const std::string& quantity, const stats::RatioInterval& ratio) {
  const stats::Estimate estimate = {.value = ratio.ratio, .lo = ratio.lo, .hi = ratio.hi};
  return is_overhead(quantity) ? stats::complement_estimate(estimate) : estimate;
}

std::string describe_comparison(const Comparison& comparison) {
  const std::string said =
      join_some({describe_verdict(comparison).whole(), describe_control(comparison)}, "; ");
  return (comparison.row.quantity == kAa ? "control: " : "") + describe_cell(comparison.cell->row) +
         ": " + describe_value(comparison) + describe_design(comparison) +
         (said.empty() ? "" : ": " + said) + in_brackets(slow_launches_note(comparison)) +
         in_brackets(comparison.failed_seeds) + in_brackets(survivors_note(*comparison.cell)) +
         in_brackets(survivors_note(*comparison.base));
}

std::string describe_remark(const Comparison& comparison) {
  return join_some({describe_control(comparison),
                    describe_verdict(comparison).detail,
                    describe_scope(comparison),
                    describe_geometric(comparison),
                    slow_launches_note(comparison),
                    comparison.failed_seeds,
                    comparison.no_efficiency,
                    survivors_note(*comparison.cell),
                    survivors_note(*comparison.base)},
                   "; ");
}

std::string in_brackets(const std::string& note) {
  return note.empty() ? "" : " (" + note + ")";
}

}  // namespace scalestudy
