#include "harness/report/answer/answer.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "harness/report/answer/bands.h"
#include "harness/report/answer/break_evens.h"
#include "harness/report/answer/choice.h"
#include "harness/report/answer/cost_answers.h"
#include "harness/report/answer/message_answers.h"
#include "harness/report/answer/metric_answers.h"
#include "harness/report/answer/pairs.h"
#include "harness/report/answer/study_sentences.h"
#include "harness/report/answer/target_answers.h"
#include "harness/report/input/cell_names.h"
#include "harness/store/cell_name.h"
#include "harness/study/declared/varied_names.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

std::string at(const Pair& pair) {
  return pair.where.empty() ? "" : " at " + pair.where;
}

std::string factor(const Measure& speedup) {
  return format_interval(speedup, {.unit = "x", .levels = {1.0}});
}

// "1.2x [1.1, 1.3] with 2 devices at batch 256"; the name where pairs of several stand together.
std::string factor_at(const Pair& pair, bool is_named = false) {
  return factor(measure_of(*pair.speedup)) + (is_named ? " with " + pair.name : "") + at(pair);
}

bool has_verdict(const Pair* pair, Verdict verdict) {
  return pair->speedup->verdict == verdict;
}

bool all_have(const std::vector<const Pair*>& pairs, Verdict verdict) {
  return std::ranges::all_of(pairs, [&](const Pair* pair) { return has_verdict(pair, verdict); });
}

// "faster", "as fast", "no significant difference".
std::string verdict_text(Verdict verdict) {
  return verdict == Verdict::kEquivalent               ? "as fast"
         : verdict == Verdict::kNoDetectableDifference ? "no significant difference"
                                                       : to_word(verdict);
}

// "faster", "as fast (within 2 %)".
std::string word_of(const Pair& pair) {
  const bool is_equivalent = has_verdict(&pair, Verdict::kEquivalent);
  return verdict_text(pair.speedup->verdict) +
         (is_equivalent ? fmt::format(" (within {})", format_percent(pair.speedup->margin)) : "");
}

// "from 1.2x at batch 64 to 1.8x at batch 256" of pairs that are ordered by their speedup. "1.2x in
// each, within [1.1, 1.3]" if all print 1.2x: the lowest and the highest bound of all.
std::string factors(const std::vector<const Pair*>& pairs, bool is_named, const std::string& from) {
  Measure all = measure_of(*pairs.front()->speedup);
  if (format_value(all) != format_value(measure_of(*pairs.back()->speedup))) {
    return from + factor_at(*pairs.front(), is_named) + " to " + factor_at(*pairs.back(), is_named);
  }
  for (const Pair* pair : pairs) {
    all.lo = std::min(all.lo, pair->speedup->lo);
    all.hi = std::max(all.hi, pair->speedup->hi);
  }
  std::string text = factor(all);
  const std::size_t end = std::min(text.find(' '), text.size());
  return text.insert(end, end < text.size() ? " in each, within" : " in each");
}

// All pairs of one name, or of several; they are ordered by their speedup.
std::string sentence(const std::vector<const Pair*>& pairs, bool is_named = false) {
  const Pair& least = *pairs.front();
  if (pairs.size() == 1) {
    return word_of(least) + verdict_note(*least.speedup) + ", " + factor_at(least);
  }
  if (all_have(pairs, least.speedup->verdict)) {
    return word_of(least) + " in " + format_all(std::ssize(pairs), "pair") + ", " +
           factors(pairs, is_named, "from ");
  }
  std::vector<std::string> counts;
  using enum Verdict;
  for (const Verdict verdict : {kFaster, kSlower, kEquivalent, kNoDetectableDifference}) {
    const auto count =
        std::ranges::count_if(pairs, [&](const Pair* pair) { return has_verdict(pair, verdict); });
    if (count > 0) {
      counts.push_back(fmt::format("{} in {}", verdict_text(verdict), count));
    }
  }
  const std::string of_pairs = fmt::format("{} of {} pairs", join(counts, ", "), pairs.size());
  std::vector<const Pair*> decided;  // the open ones illustrate no verdict
  std::ranges::copy_if(pairs, std::back_inserter(decided), [](const Pair* pair) {
    return !has_verdict(pair, kNoDetectableDifference);
  });
  if (all_have(decided, kEquivalent)) {
    return of_pairs + ", " + factors(pairs, is_named, "from ");
  }
  const std::string at_least = factor_at(*decided.front(), is_named);
  if (all_have(decided, decided.front()->speedup->verdict)) {
    return fmt::format("{}; {}: {}",
                       of_pairs,
                       verdict_text(decided.front()->speedup->verdict),
                       decided.size() == 1 ? at_least : factors(decided, is_named, ""));
  }
  const std::string at_most = factor_at(*decided.back(), is_named);
  return fmt::format("it depends: {}; {}, but {}", of_pairs, at_most, at_least);
}

bool less_by_speedup(const Pair* a, const Pair* b) {
  return *a->speedup->value < *b->speedup->value;
}

// Pairs with a usable speedup that the study asks for, by name and base, in order of first
// appearance; each by its speedup.
std::vector<std::vector<const Pair*>> by_name(const ReportInput& input,
                                              const std::vector<Pair>& pairs) {
  std::vector<std::vector<const Pair*>> groups;
  for (const Pair& pair : pairs) {
    if (!is_usable(*pair.speedup) || !wants_verdict(input, pair)) {
      continue;
    }
    const auto found = std::ranges::find_if(groups, [&](const auto& group) {
      return group.front()->name == pair.name && group.front()->base_name == pair.base_name;
    });
    (found == groups.end() ? groups.emplace_back() : *found).push_back(&pair);
  }
  for (std::vector<const Pair*>& group : groups) {
    std::ranges::stable_sort(group, less_by_speedup);
  }
  return groups;
}

const ComparisonRow* overhead_of(const ReportInput& input, const Pair& pair) {
  return input.comparison(pair.cell->id, names::kOverhead);
}

// "21.3 % [20.2, 22.3] of the step with 2 devices at batch 256"
std::string overhead_text(const ReportInput& input, const Pair& pair) {
  return format_share(measure_of(*overhead_of(input, pair)), " %", {0.0}) + " of the step with " +
         pair.name + at(pair);
}

// "1 to 4 devices", "global batch 64 to 256", "bucket 1 to 100 MiB", of cells that make a claim and
// have an ok trial; "" of an axis of words or of one value.
std::string tested_range(const ReportInput& input, const std::string& axis) {
  std::set<double> values;
  for (const TrialRow* trial : input.last_attempts()) {
    const CellRow& cell = input.cell(trial->cell_id);
    if (trial->state != TrialState::kOk || input.ran_in_excluded_cell(*trial) ||
        cell.oversubscribed) {
      continue;
    }
    if (const CellRow::Parameter* parameter = find_varied(cell, axis)) {
      const std::optional<double> value = parameter->number();
      if (!value) {
        return "";
      }
      values.insert(*value);
    }
  }
  if (values.size() < 2) {
    return "";
  }
  const auto text = [&](double value) { return name_value(axis, value); };
  const std::string name = name_axis(axis, input.declared.labels);
  const auto [words, unit] =
      name == axis ? setting_words(axis) : SettingWords{.name = name, .unit = ""};
  const std::string range = text(*values.begin()) + " to " + text(*values.rbegin()) + unit;
  return axis == names::kDevices || axis == names::kNodes ? range + " " + words
                                                          : words + " " + range;
}

// "No verdict on 2 of 9 pairs: not enough data"; "" where all have one.
std::string pairs_left_out(const ReportInput& input, std::vector<Pair> pairs) {
  std::erase_if(pairs, [&](const Pair& pair) { return !wants_verdict(input, pair); });
  const auto wanted = std::ssize(pairs);
  std::erase_if(pairs, [](const Pair& pair) { return is_usable(*pair.speedup); });
  std::set<std::string> reasons;
  for (const Pair& pair : pairs) {
    reasons.insert(noted_verdict(*pair.speedup));
  }
  return pairs.empty() ? ""
                       : fmt::format("No verdict on {} of {}: {}",
                                     pairs.size(),
                                     format_count(wanted, "pair"),
                                     join(std::vector(reasons.begin(), reasons.end()), "; "));
}

// Whether two measured cells of train keep one model in different ways.
bool compares_strategies(const ReportInput& input) {
  std::set<std::string> strategies;
  for (const CellRow& cell : input.cells) {
    const CellRow::Parameter* strategy = find_varied(cell, names::kStrategy);
    if (cell.role == CellRole::kMeasured && !cell.excluded_reason && strategy != nullptr) {
      strategies.insert(strategy->value);
    }
  }
  return input.declared.workload == Workload::kTrain && strategies.size() > 1;
}

}  // namespace

std::string recommendation(const Pair& pair) {
  if (!pair.is_choice || !pair.is_within) {
    return "";
  }
  switch (pair.speedup->verdict) {
    case Verdict::kFaster:
      return pair.name;
    case Verdict::kSlower:
      return pair.base_name;
    case Verdict::kEquivalent:
      return (pair.cell->devices > pair.base->devices ? pair.base_name : "either") + " (as fast)";
    case Verdict::kNotEnoughData:
    case Verdict::kNoDetectableDifference:
    case Verdict::kBetter:
    case Verdict::kWorse:
    case Verdict::kNoClaim:
    case Verdict::kNotApplied:
    case Verdict::kUnconfirmed:
    case Verdict::kSoftwareType:
    case Verdict::kUnsupported:
    case Verdict::kUnknownWork:
    case Verdict::kFailed:
    case Verdict::kOutOfMemory:
    case Verdict::kBaseFailed:
    case Verdict::kBaseOutOfMemory:
      break;
  }
  return verdict_text(pair.speedup->verdict) + verdict_note(*pair.speedup);
}

std::vector<Answer> answers(const ReportInput& input, const std::vector<Pair>& pairs) {
  constexpr std::size_t most_names = 3;
  constexpr std::size_t most_bands = 2;
  std::vector<Answer> all;
  for (const BreakEven& said : break_evens(input)) {  // the question of a study that declares one
    all.push_back(
        {AnswerKind::kBreakEven, said.is_between ? "Switch point" : "Break-even", said.text});
  }
  const auto groups = by_name(input, pairs);
  if (groups.size() > most_names) {
    std::vector<const Pair*> together;
    for (const std::vector<const Pair*>& group : groups) {
      together.insert(together.end(), group.begin(), group.end());
    }
    std::ranges::stable_sort(together, less_by_speedup);
    all.push_back({AnswerKind::kSpeedup, "Against the base", sentence(together, true)});
  } else {
    for (const std::vector<const Pair*>& group : groups) {
      const Pair& first = *group.front();
      all.push_back(
          {AnswerKind::kSpeedup, first.name + " against " + first.base_name, sentence(group)});
    }
  }
  const std::vector<std::string> bands = efficiency_bands(input);
  for (std::size_t i = 0; i < bands.size() && bands.size() <= most_bands; ++i) {
    all.push_back({AnswerKind::kEfficiency, "Efficiency", bands[i]});
  }
  std::ranges::move(metric_answers(input), std::back_inserter(all));
  for (const std::string& found : message_findings(input)) {
    all.push_back({AnswerKind::kBandwidth, "Bandwidth", found});
  }
  return all;
}

std::vector<Answer> plain_answers(const ReportInput& input) {
  std::vector<Answer> all;
  for (const TargetResultRow* target : distinct_targets(input)) {
    all.push_back(
        {AnswerKind::kTarget, "Target", target->finding.empty() ? target->name : target->finding});
  }
  if (!all.empty()) {
    return all;
  }
  const bool is_whole = times_whole_commands(input.declared.extract);
  for (const CellRow& cell : input.cells) {
    const EstimateRow* time = input.estimate(cell.id, names::kStepTime);
    if (cell.role == CellRole::kMeasured && time != nullptr && time->lo) {
      const Scale scale = scale_for("s", *time->value);
      all.push_back({AnswerKind::kStepTime,
                     cell_name(input, cell),
                     fmt::format("{}{}, {}",
                                 format_half_width(measure_of(*time), scale.factor, scale.unit),
                                 is_whole ? "" : " per step",
                                 format_count(time->n, "trial"))});
    }
  }
  return all;
}

std::vector<std::string> communication_reasons(const ReportInput& input,
                                               const std::vector<Pair>& pairs) {
  const auto share = [&](const Pair* pair) { return *overhead_of(input, *pair)->value; };
  std::vector<const Pair*> known;
  for (const Pair& pair : pairs) {
    const ComparisonRow* row = overhead_of(input, pair);
    if (row != nullptr && is_usable(*row) && row->lo.value_or(0.0) > 0.0 &&
        row->verdict != Verdict::kNoDetectableDifference) {
      known.push_back(&pair);
    }
  }
  if (known.empty()) {
    return {};
  }
  std::ranges::stable_sort(known, std::ranges::greater(), share);
  const Pair& most = *known.front();
  std::vector<std::string> texts = {
      "Communication takes " + overhead_text(input, most) +
      (known.size() == 1 ? "" : ", and " + overhead_text(input, *known.back())) +
      ", compared with the same ranks without it"};
  const EstimateRow* without =
      input.estimate(overhead_of(input, most)->baseline_cell_id, names::kStepTime);
  const EstimateRow* base = input.estimate(most.base->id, names::kStepTime);
  if (without != nullptr && without->value && base != nullptr && base->value) {
    const Scale time = scale_for("s", std::max(*without->value, *base->value));
    texts.push_back(
        fmt::format("Without communication, {} would need {} per step{}, compared with {} for {}",
                    most.name,
                    format_half_width(measure_of(*without), time.factor, time.unit),
                    at(most),
                    format_half_width(measure_of(*base), time.factor, time.unit),
                    most.base_name));
  }
  return texts;
}

std::vector<std::string> answer_limits(const ReportInput& input, const std::vector<Pair>& pairs) {
  std::set<std::string> others = varied_names(input.declared);  // of zip and include
  std::vector<std::string> ranges;
  for (const Axis& axis : input.declared.axes) {
    ranges.push_back(tested_range(input, axis.name));
    others.erase(axis.name);
  }
  for (const std::string& name : others) {
    ranges.push_back(tested_range(input, name));
  }
  std::erase(ranges, "");
  const bool has_bracket = std::ranges::any_of(input.results.thresholds, [](const auto& row) {
    return (row.bracket_lo || row.bracket_hi) &&
           row.tested_values < static_cast<std::int64_t>(kLeastForCurve);
  });
  std::vector<const Pair*> best;  // the pairs of the fastest name
  for (const std::vector<const Pair*>& group : by_name(input, pairs)) {
    if (group.back()->cell->devices > group.back()->base->devices &&
        has_verdict(group.back(), Verdict::kFaster) &&
        (best.empty() || less_by_speedup(best.back(), group.back()))) {
      best = group;
    }
  }
  std::vector<std::string> texts = {
      ranges.empty() ? "" : "Valid only for " + join_words(ranges),
      is_imported(input)
          ? "Logs do not show whether all runs had the same machine, software and load"
          : "",
      pairs_left_out(input, pairs),
      why_no_use(input, pairs),
      has_bracket ? fmt::format("With fewer than {} tested values, a break-even is a bracket "
                                "without an estimate",
                                kLeastForCurve)
                  : "",
      compares_strategies(input) ? "Tensor, hybrid and 3D parallelism were not measured: the "
                                   "training program has no such strategies"
                                 : "",
      device_sentence(input.declared),
      best.empty() ? "" : dearer_text(input, best)};
  std::erase(texts, "");
  return texts;
}

}  // namespace scalestudy::report
