#include "harness/report/answer/metric_answers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/times_to.h"
#include "harness/store/cell_parameters.h"
#include "harness/study/parameters/time_to.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

// "better, 0.595x with 2 devices"; why there is no value.
std::string single_metric_answer(const ReportInput& input, const ComparisonRow& row) {
  return row.value ? fmt::format("{}, {} with {}",
                                 to_word(row.verdict),
                                 format_interval(measure_of(row), {.unit = "x", .levels = {1.0}}),
                                 short_name(input, input.cell(row.cell_id)))
                   : row.finding;
}

// "better in 3, worse in 1 of 4 cells ...; lowest 0.59x with 2 devices", or that all are
// equivalent; of a single one its value.
// "" without any.
std::string metric_answer(const ReportInput& input, const MetricRequest& request) {
  std::map<std::string, int> counts;  // by the verdict's words
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == request.metric) {
      rows.push_back(&row);
      ++counts[verdict_words(input, row)];
    }
  }
  if (rows.size() < 2) {
    return rows.empty() ? "" : single_metric_answer(input, *rows.front());
  }
  using enum Verdict;
  if (counts.size() == 1 &&
      counts.contains(to_word(kEquivalent))) {  // which is lowest says nothing then
    return fmt::format("equivalent within {} in all {} cells against their base",
                       format_percent(rows.front()->margin),
                       rows.size());
  }
  std::vector<std::string> texts;
  for (const std::string& verdict : {to_word(kBetter),
                                     to_word(kWorse),
                                     to_word(kEquivalent),
                                     to_word(kNoDetectableDifference),
                                     to_word(kNotEnoughData),
                                     to_word(TrialState::kUnsupported),
                                     to_word(kNoClaim),
                                     to_word(kNotApplied),
                                     to_word(kUnconfirmed),
                                     to_word(kSoftwareType)}) {
    if (counts.contains(verdict)) {
      texts.push_back(fmt::format("{} in {}", verdict, counts[verdict]));
    }
  }
  const std::string text =
      fmt::format("{} of {} cells against their base", join(texts, ", "), rows.size());
  std::erase_if(rows, [](const ComparisonRow* row) { return !is_usable(*row); });
  if (rows.empty()) {
    return text;
  }
  const auto value = [](const ComparisonRow* row) { return *row->value; };
  const ComparisonRow& best = request.is_higher_better
                                  ? **std::ranges::max_element(rows, {}, value)
                                  : **std::ranges::min_element(rows, {}, value);
  return fmt::format("{}; {} {}x with {}{}",
                     text,
                     request.is_higher_better ? "highest" : "lowest",
                     format_number(*best.value),
                     short_name(input, input.cell(best.cell_id)),
                     best.verdict == kNoDetectableDifference ? " (no significant difference)" : "");
}

// "; not certain to be sooner than 2 devices": what is compared with the base and not slower; "" if
// there is none.
std::string against_others(const ReportInput& input,
                           const CellRow& base,
                           const TimeToRequest& request) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> open;
  for (const ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == time_to_metric(request) && row.baseline_cell_id == base.id &&
        row.verdict != Verdict::kSlower) {
      open.push_back(short_name(input, input.cell(row.cell_id)));
    }
  }
  return open.empty() ? ""
                      : "; not certain to be sooner than " +
                            (open.size() > most_named ? fmt::format("{} others", open.size())
                                                      : join_words(open));
}

// "; faster than 1 device", why there is no verdict; "" for the base itself, nullptr.
std::string against_base(const ReportInput& input, const ComparisonRow* row) {
  if (row == nullptr) {
    return "";
  }
  const std::string base = short_name(input, input.cell(row->baseline_cell_id));
  switch (row->verdict) {
    case Verdict::kFaster:
    case Verdict::kSlower:
      return fmt::format("; {} than {}", to_word(row->verdict), base);
    case Verdict::kNoDetectableDifference:
      return "; no significant difference from " + base;
    case Verdict::kNotEnoughData:
      return "; not enough data to compare it with " + base;
    default:
      return fmt::format("; {} against {}", to_word(row->verdict), base);
  }
}

// "soonest with 2 devices, after 12.3 s [10.1, 15.0] in 8 of 8 trials; faster than 1 device", or
// that no cell reaches it in half of its trials, or that no trial can tell; "" without a claim.
std::string time_answer(const ReportInput& input, const TimeToRequest& request) {
  if (!input.results.estimates.empty() &&
      std::ranges::find(input.results.estimates, time_to_metric(request), &EstimateRow::metric) ==
          input.results.estimates.end()) {
    return "not known, because no trial has a value for every step or every epoch";
  }
  const EstimateRow* best = nullptr;
  std::optional<std::map<std::string, std::string>> conditions;  // of the first such cell
  for (const EstimateRow& row : input.results.estimates) {
    const CellRow& cell = input.cell(row.cell_id);
    if (row.metric == time_to_metric(request) && input.has_claim(cell)) {
      const auto own = conditions_of(cell, input.declared);
      conditions = conditions.value_or(own);
      if (own != *conditions) {
        continue;  // a slow rank is no choice
      }
      best = row.value && (best == nullptr || *row.value < *best->value) ? &row : best;
    }
  }
  if (best == nullptr) {
    return conditions ? "no cell reaches it in half of its trials" : "";
  }
  const CellRow& cell = input.cell(best->cell_id);
  return fmt::format("soonest with {}, after {} in {} trials{}{}{}",
                     short_name(input, cell),
                     median_text(best),
                     reached_text(input.estimate(cell.id, reached_metric(request))),
                     best->n < best->n_planned ? fmt::format(" ({} planned)", best->n_planned) : "",
                     against_base(input, input.comparison(cell.id, time_to_metric(request))),
                     against_others(input, cell, request));
}

}  // namespace

std::vector<Answer> metric_answers(const ReportInput& input) {
  std::vector<Answer> all;
  for (const MetricRequest& request : input.declared.analysis.metrics) {
    if (const std::string text = metric_answer(input, request); !text.empty()) {
      all.push_back({AnswerKind::kMetric, request.metric, text});
    }
  }
  for (const TimeToRequest& request : input.declared.analysis.time_to) {
    if (const std::string text = time_answer(input, request); !text.empty()) {
      all.push_back({AnswerKind::kMetric, describe_goal(request), text});
    }
  }
  return all;
}

}  // namespace scalestudy::report
