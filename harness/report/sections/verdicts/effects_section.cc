// What each technique costs and saves, in a sentence, and what a setting is worth on average over
// combinations of others.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/estimates.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/store/cell_name.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr const char* kReduction = "overhead_reduction";

// ---- sentences

// "37 % [18, 52]", however large; an exact share with three digits.
std::string share_text(const Measure& share) {
  return share.lo && share.hi
             ? format_interval(share, {.factor = 100.0, .unit = " %", .levels = {0.0}})
             : format_plain(100.0 * share.value.value_or(0.0)) + " %";
}

// How far the ratio is below 1, or above it.
std::string lower_by(const ComparisonRow& row) {
  const auto below = [](std::optional<double> ratio) {
    return ratio ? std::optional(1.0 - *ratio) : std::nullopt;
  };
  return share_text({below(row.value), below(row.hi), below(row.lo)});
}

std::string higher_by(const ComparisonRow& row) {
  const auto above = [](std::optional<double> ratio) {
    return ratio ? std::optional(*ratio - 1.0) : std::nullopt;
  };
  return share_text({above(row.value), above(row.lo), above(row.hi)});
}

std::string as_factor(const ComparisonRow& row) {
  return format_interval(measure_of(row), {.unit = "x", .levels = {1.0}});
}

constexpr double kFactor = 2.0;  // from here on ratios are told as factors

// "has no significant effect on speed (from -3 % to +5 %)"
std::string undecided(const ComparisonRow& row, const std::string& subject) {
  const char* adjusted = is_open_by_adjustment(row) ? " after adjustment" : "";
  return fmt::format("has no significant effect on {}{}{}",
                     subject,
                     adjusted,
                     row.lo && row.hi ? " (" + format_change_range(*row.lo, *row.hi) + ")" : "");
}

std::string hardly_changed(const ComparisonRow& row, const std::string& subject) {
  return fmt::format("changes {} by less than {}", subject, format_percent(row.margin));
}

std::string speed_clause(const ComparisonRow& row) {
  switch (row.verdict) {
    case Verdict::kFaster:
      return *row.value < kFactor ? fmt::format("gains {} of speed", higher_by(row))
                                  : fmt::format("is {} as fast", as_factor(row));
    case Verdict::kSlower:
      return fmt::format("costs {} of speed", lower_by(row));
    case Verdict::kEquivalent:
      return hardly_changed(row, "speed");
    case Verdict::kNoDetectableDifference:
      return undecided(row, "speed");
    case Verdict::kNotEnoughData:
    case Verdict::kFailed:
    case Verdict::kOutOfMemory:
    case Verdict::kBaseFailed:
    case Verdict::kBaseOutOfMemory:
      return "has too few trials for a verdict on speed";
    case Verdict::kBetter:
    case Verdict::kWorse:
    case Verdict::kNoClaim:
    case Verdict::kNotApplied:
    case Verdict::kUnconfirmed:
    case Verdict::kSoftwareType:
    case Verdict::kUnsupported:
    case Verdict::kUnknownWork:
      break;
  }
  return "allows " + to_word(row.verdict);
}

// "" where the overhead was not measured, is not there or makes no claim.
std::string reduction_clause(const ReportInput& input, const Pair& pair) {
  const EstimateRow* row = input.estimate(pair.cell->id, kReduction);
  if (row == nullptr || !row->value || !is_claim(pair.speedup->verdict)) {
    return "";
  }
  const Measure share = measure_of(*row);
  if (share.lo && share.hi && *share.lo <= 0.0 && *share.hi >= 0.0) {
    return "has no significant effect on exposed communication";
  }
  const auto negative = [](std::optional<double> x) {
    return x ? std::optional(-*x) : std::nullopt;
  };
  return *share.value >= 0.0
             ? fmt::format("removes {} of exposed communication", share_text(share))
             : fmt::format(
                   "adds {} to exposed communication",
                   share_text({negative(share.value), negative(share.hi), negative(share.lo)}));
}

std::string changed_metric(const ComparisonRow& row, const std::string& metric) {
  const bool is_memory = row.quantity == names::kPeakBytes;
  if (*row.value < 1.0) {
    return is_memory ? fmt::format("saves {} of memory", lower_by(row))
                     : fmt::format("lowers {} by {}", metric, lower_by(row));
  }
  if (*row.value < kFactor) {
    return is_memory ? fmt::format("takes {} more memory", higher_by(row))
                     : fmt::format("raises {} by {}", metric, higher_by(row));
  }
  return is_memory ? fmt::format("takes {} the memory", as_factor(row))
                   : fmt::format("raises {} to {}", metric, as_factor(row));
}

std::string name_metric(const std::string& metric) {
  return metric == names::kPeakBytes      ? "memory"
         : metric == names::kTrafficBytes ? "traffic"
                                          : metric;
}

// "" of a verdict that says nothing of the metric.
std::string metric_clause(const ComparisonRow& row) {
  const std::string name = name_metric(row.quantity);
  switch (row.verdict) {
    case Verdict::kBetter:
    case Verdict::kWorse:
      return changed_metric(row, name);
    case Verdict::kEquivalent:
      return hardly_changed(row, name);
    case Verdict::kNoDetectableDifference:
      return undecided(row, name);
    case Verdict::kNotEnoughData:
    case Verdict::kFailed:
    case Verdict::kOutOfMemory:
    case Verdict::kBaseFailed:
    case Verdict::kBaseOutOfMemory:
    case Verdict::kFaster:
    case Verdict::kSlower:
    case Verdict::kNoClaim:
    case Verdict::kNotApplied:
    case Verdict::kUnconfirmed:
    case Verdict::kSoftwareType:
    case Verdict::kUnsupported:
    case Verdict::kUnknownWork:
      break;
  }
  return "";
}

// "strategy fsdp costs 37 % [18, 52] of speed and saves 12 % of memory"
std::string sentence_of(const ReportInput& input, const Pair& pair) {
  std::vector<std::string> clauses = {speed_clause(*pair.speedup), reduction_clause(input, pair)};
  std::vector<std::string> unchanged;
  for (const MetricRequest& request : input.declared.analysis.metrics) {
    const ComparisonRow* row = input.comparison(pair.cell->id, request.metric);
    if (row == nullptr || !row->value) {
      continue;
    }
    if (row->verdict == Verdict::kEquivalent && *row->value == 1.0) {
      unchanged.push_back(name_metric(request.metric));
    } else {
      clauses.push_back(metric_clause(*row));
    }
  }
  if (!unchanged.empty()) {
    clauses.push_back(fmt::format(
        "leaves {} as {}", join_words(unchanged), unchanged.size() == 1 ? "it is" : "they are"));
  }
  std::erase(clauses, "");
  return fmt::format(
      "{}{} {}", pair.name, pair.where.empty() ? "" : " (" + pair.where + ")", join_words(clauses));
}

// Without further metrics the table of speedups says all of it.
View::List technique_sentences(const ReportInput& input) {
  View::List sentences;
  if (input.declared.analysis.metrics.empty() && !input.is_full) {
    return sentences;
  }
  for (const Pair& pair : techniques_of(input)) {
    sentences.emplace_back();
    sentences.back().set_text("sentence", sentence_of(input, pair));
  }
  return sentences;
}

// ---- what the overhead reduction is, or why there is none

std::string overhead_reduction(const ReportInput& input) {
  bool is_of_several = false;
  bool may_be_none = false;
  bool has_noop = false;
  bool is_timed = false;
  for (const Pair& pair : techniques_of(input)) {
    is_of_several = is_of_several || pair.cell->devices > 1;
    if (const EstimateRow* row = input.estimate(pair.cell->id, kReduction)) {
      may_be_none = may_be_none || row->status == RowStatus::kUnresolved;
      const bool is_of_noops = input.comparison(pair.cell->id, names::kOverhead) != nullptr &&
                               input.comparison(pair.base->id, names::kOverhead) != nullptr;
      (is_of_noops ? has_noop : is_timed) = true;
    }
  }
  if (!has_noop && !is_timed) {
    const bool is_asked = std::ranges::any_of(
        input.declared.analysis.metrics,
        [](const MetricRequest& request) { return request.metric == names::kExposed; });
    if (!is_of_several || is_asked) {
      return "";
    }
    return input.declared.workload == Workload::kCommand
               ? "Overhead reduction is unknown: the program does not report how long its steps "
                 "wait for communication (exposed_communication_time_s)."
               : "Overhead reduction is unknown: the study has no control noop, and no trial timed "
                 "the communication that its steps wait for.";
  }
  const std::string noop = "what a step takes beyond the same step without communication";
  const std::string timed = "the time that a step waits for communication, by the program's clock";
  return fmt::format(
      "Overhead reduction is the share of the base's exposed communication that the row removes. "
      "Exposed communication is {}.{}",
      !is_timed   ? noop
      : !has_noop ? timed
                  : noop + "; for cells that cannot run without it, " + timed,
      may_be_none ? " \"base may have none\" means that the interval of the base's exposed "
                    "communication includes 0: there may be nothing to remove."
                  : "");
}

// ---- main effects

using EffectRow = const ComparisonRow*;

std::vector<Column<EffectRow>> effect_columns(const ReportInput& input) {
  using enum Align;
  const auto against = [&input](std::int64_t named, std::int64_t other) {
    return describe_against(input.cell(named), input.cell(other), input.declared.labels);
  };
  return {
      {{"name", "With", "the setting", kText},
       [against](const EffectRow& row) { return against(row->cell_id, row->baseline_cell_id); }},
      {{"base", "Instead of", "the base's", kText},
       [against](const EffectRow& row) { return against(row->baseline_cell_id, row->cell_id); }},
      {{"effect", "Speedup on average (ratio)", "geometric mean over combinations [interval]"},
       [](const EffectRow& row) { return format_interval(measure_of(*row), {.levels = {1.0}}); }},
      {{"p_adjusted", "p (adjusted)", "p value, Holm-adjusted over the rows"},
       [](const EffectRow& row) { return format_p_value(row->p_adjusted); }},
      {{"verdict", "Verdict", "as of a speedup", kText},
       [](const EffectRow& row) { return noted_verdict(*row); }},
      {{"over", "Over", "which combinations, and of what", kText},
       [](const EffectRow& row) { return row->remark; }},
      {{"alone",
        "Alone (ratio)",
        "speedup with nothing else changed [interval]; of several, where"},
       [pairs = pairs_of(input)](const EffectRow& row) {
         const auto alone =
             std::ranges::find(pairs, row->cell_id, [](const Pair& pair) { return pair.cell->id; });
         if (alone == pairs.end()) {
           return std::string();
         }
         const bool is_one_of_several = std::ranges::any_of(pairs, [&](const Pair& pair) {
           return pair.cell != alone->cell && pair.name == alone->name &&
                  pair.base_name == alone->base_name;
         });
         return format_interval(measure_of(*alone->speedup), {.levels = {1.0}}) +
                (is_one_of_several ? " at " + alone->where : "");
       }},
      {{"depends",
        "Depends on the others",
        "yes and where; or not detected and the range of the speedups",
        kText,
        Shown::kPresent},
       [&input](const EffectRow& row) {
         const ComparisonRow* interaction = input.comparison(row->cell_id, "interaction");
         return interaction == nullptr ? "" : interaction->remark;
       }},
  };
}

View::List main_effects(const ReportInput& input) {
  std::vector<EffectRow> rows;
  for (const ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "main_effect") {
      rows.push_back(&row);
    }
  }
  return one_table(effect_columns(input), rows);
}

}  // namespace

Section effects_section() {
  using enum TagKind;
  return {table_tags("main_effects",
                     "settings over combinations of others",
                     heads_of(effect_columns(empty_input()))) +
              Tags{{"technique_sentences", kList, "what each technique costs and saves"},
                   {"technique_sentences.sentence", kText, "a sentence"},
                   {"overhead_reduction",
                    kText,
                    "what it is a share of, or why it is not known; nothing without techniques"}},
          [](View& view, const ReportInput& input, const Figures& /*figures*/) {
            view.set_list("technique_sentences", technique_sentences(input));
            view.set_text("overhead_reduction", overhead_reduction(input));
            view.set_list("main_effects", main_effects(input));
          }};
}

}  // namespace scalestudy::report
