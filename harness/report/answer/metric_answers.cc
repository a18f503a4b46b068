#include "harness/report/answer/metric_answers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/same_conditions.h"
#include "harness/report/input/times_to.h"
#include "harness/study/parameters/time_to.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

// "better, 0.595x with 2 devices"; why there is no value.
std::string single_metric_answer(const ReportInput& input, const ComparisonRow& row) {
  const std::string cell = short_name(input, input.cell(row.cell_id));
  return row.value ? fmt::format("{}, {} with {}",
                                 to_word(row.verdict),
                                 format_interval(measure_of(row), {.unit = "x", .levels = {1.0}}),
                                 cell)
         : row.verdict == Verdict::kUnsupported
             ? fmt::format("{} against {}: {}",
                           cell,
                           short_name(input, input.cell(row.baseline_cell_id)),
                           to_word(row.verdict))
             : row.finding;
}

// "lowest 0.5x with 2 devices, and with 4 devices"; "closest to the base: 1.2x with 2 devices"
// if the base itself is the lowest.
std::string extreme_text(const ReportInput& input,
                         const std::vector<const ComparisonRow*>& rows,
                         bool is_higher_better) {
  const auto value = [](const ComparisonRow* row) { return *row->value; };
  const ComparisonRow& best = is_higher_better ? **std::ranges::max_element(rows, {}, value)
                                               : **std::ranges::min_element(rows, {}, value);
  const bool is_beyond = is_higher_better ? *best.value > 1.0 : *best.value < 1.0;
  std::vector<std::string> names;
  for (const ComparisonRow* row : rows) {
    if (format_number(*row->value) == format_number(*best.value) && row->verdict == best.verdict) {
      names.push_back(short_name(input, input.cell(row->cell_id)));
    }
  }
  return fmt::format(
      "{} {}x {}{}",
      !is_beyond         ? "closest to the base:"
      : is_higher_better ? "highest"
                         : "lowest",
      format_number(*best.value),
      names.size() > kMostLeaders ? fmt::format("in {} cells", names.size())
                                  : "with " + join(names, ", and with "),
      best.verdict == Verdict::kNoDetectableDifference ? " (no significant difference)" : "");
}

// "a value of errors is not a positive number", "base failed"; absent of other verdicts.
std::optional<std::string> why_no_ratio(const ComparisonRow& row) {
  return row.status == RowStatus::kInvalidInput ? std::optional(row.remark)
         : is_loss(row.verdict)                 ? std::optional(to_word(row.verdict))
                                                : std::nullopt;
}

// "better in 3, worse in 1 of 5 cells ...; no ratio in 1 (failed); lowest 0.59x with 2 devices", or
// that all are equivalent; of a single one its value. "" without any.
std::string metric_answer(const ReportInput& input, const MetricRequest& request) {
  std::map<std::string, int> counts;  // by the verdict's words
  int lacking = 0;                    // cells that are not in `counts`, as they have no ratio
  std::set<std::string> reasons;      // of these
  std::vector<const ComparisonRow*> rows;
  for (const ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == request.metric) {
      rows.push_back(&row);
      if (const std::optional<std::string> reason = why_no_ratio(row)) {
        ++lacking;
        reasons.insert(*reason);
      } else {
        ++counts[to_word(row.verdict)];
      }
    }
  }
  if (rows.size() < 2) {
    return rows.empty() ? "" : single_metric_answer(input, *rows.front());
  }
  using enum Verdict;
  const std::string all_cells = format_all(std::ssize(rows), "cell");
  const bool are_alike = counts.size() + reasons.size() == 1;
  if (are_alike && counts.contains(to_word(kEquivalent))) {  // which is lowest says nothing then
    return fmt::format("equivalent within {} in {} against their base",
                       format_percent(rows.front()->margin),
                       all_cells);
  }
  std::vector<std::string> texts;
  for (const std::string& verdict : {to_word(kBetter),
                                     to_word(kWorse),
                                     to_word(kEquivalent),
                                     to_word(kNoDetectableDifference),
                                     to_word(kNotEnoughData),
                                     to_word(kUnsupported),
                                     to_word(kNoClaim),
                                     to_word(kNotApplied),
                                     to_word(kUnconfirmed),
                                     to_word(kSoftwareType)}) {
    if (counts.contains(verdict)) {
      texts.push_back(fmt::format("{} in {}", verdict, counts[verdict]));
    }
  }
  const std::string why = join(std::vector(reasons.begin(), reasons.end()), "; ");
  const std::string text =
      fmt::format("{} against their base{}{}",
                  counts.empty() ? "no ratio in " + all_cells
                  : are_alike    ? counts.begin()->first + " in " + all_cells
                                 : fmt::format("{} of {} cells", join(texts, ", "), rows.size()),
                  counts.empty() || lacking == 0 ? "" : fmt::format("; no ratio in {}", lacking),
                  why.empty() ? "" : " (" + why + ")");
  std::erase_if(rows, [](const ComparisonRow* row) { return !is_usable(*row); });
  return text + (rows.empty() ? "" : "; " + extreme_text(input, rows, request.is_higher_better));
}

// "; faster than 1 device", why there is no verdict; "" for the base itself, nullptr.
// - end: of its name, which is left out.
std::string against_base(const ReportInput& input,
                         const ComparisonRow* row,
                         const std::string& end) {
  if (row == nullptr) {
    return "";
  }
  const std::string base = name_without(input, input.cell(row->baseline_cell_id), end);
  switch (row->verdict) {
    case Verdict::kFaster:
    case Verdict::kSlower:
      return fmt::format("; {} than {}", to_word(row->verdict), base);
    case Verdict::kNoDetectableDifference:
      return "; no significant difference from " + base;
    case Verdict::kNotEnoughData:
      return "; not enough data to compare it with " + base;
    case Verdict::kFailed:
    case Verdict::kOutOfMemory:
    case Verdict::kBaseFailed:
    case Verdict::kBaseOutOfMemory:
      return fmt::format("; no comparison with {} ({})", base, to_word(row->verdict));
    case Verdict::kEquivalent:
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
  return fmt::format("; {} against {}", to_word(row->verdict), base);
}

// "soonest with 2 devices, after 12.3 s [10.1, 15.0] in 8 of 8 trials; faster than 1 device", all
// that may be the soonest, or that no cell reaches it in half of its trials.
std::string time_answer(const ReportInput& input,
                        const TimeToRequest& request,
                        const SameConditions& same) {
  const std::string metric = time_to_metric(request);
  std::vector<const EstimateRow*> rows;
  for (const CellRow* cell : same.cells) {
    const EstimateRow* row = input.estimate(cell->id, metric, Statistic::kMedian);
    if (row != nullptr && row->value) {
      rows.push_back(row);
    }
  }
  if (rows.empty()) {
    return "no cell reaches it in half of its trials";
  }
  const Decided decided = decide(input, rows, {metric});
  rows = leaders(std::move(rows), decided);
  const auto when = [&](const CellRow& cell) {
    const EstimateRow& row = *input.estimate(cell.id, metric, Statistic::kMedian);
    return fmt::format("after {} in {} trials{}",
                       median_text(&row),
                       reached_text(input.estimate(cell.id, reached_metric(request))),
                       row.n < row.n_planned ? fmt::format(" ({} planned)", row.n_planned) : "");
  };
  const std::string end = said_end(input, same);
  return say_leaders(input, rows, "soonest", when, tie_text(rows, decided), end) +
         (rows.size() == 1
              ? against_base(input, input.comparison(rows.front()->cell_id, metric), end)
              : "");
}

// The answers on that goal, one for each of the told conditions; none without a claim.
std::vector<Answer> time_answers(const ReportInput& input, const TimeToRequest& request) {
  const std::string about = describe_goal(input.declared, request);
  std::vector<const CellRow*> cells;
  bool is_known = input.results.estimates.empty();
  for (const EstimateRow& row : input.results.estimates) {
    const CellRow& cell = input.cell(row.cell_id);
    if (row.metric == time_to_metric(request)) {
      is_known = true;
      if (input.has_claim(cell)) {
        cells.push_back(&cell);
      }
    }
  }
  if (!is_known) {
    return {{AnswerKind::kMetric,
             about,
             "not known, because no trial has a value and a time for every step or every epoch"}};
  }
  std::vector<Answer> all;
  for (const SameConditions& same : by_conditions(input, cells)) {
    all.push_back({AnswerKind::kMetric,
                   about + (same.label.empty() ? "" : ", " + same.label),
                   time_answer(input, request, same)});
  }
  return all;
}

// "every 61 s [43, 86] of work with save_dir=/dev/shm to every 125 s [104, 150] with
// save_dir=/var/tmp, calculated for the declared rate of failures"; "" without such a rate.
std::string save_answer(const ReportInput& input) {
  std::vector<const EstimateRow*> rows;
  for (const EstimateRow& row : input.results.estimates) {
    if (row.metric == "daly_interval_s" && row.value && input.has_claim(input.cell(row.cell_id))) {
      rows.push_back(&row);
    }
  }
  if (rows.empty()) {
    return "";
  }
  const auto [least, most] =
      std::ranges::minmax_element(rows, {}, [](const EstimateRow* row) { return *row->value; });
  const auto every = [&](const EstimateRow& row, const char* of_work) {
    const Scale scale = scale_for("s", *row.value);
    return fmt::format(
        "every {}{} with {}",
        format_interval(measure_of(row), {.factor = scale.factor, .unit = " " + scale.unit}),
        of_work,
        short_name(input, input.cell(row.cell_id)));
  };
  return every(**least, " of work") + (*least == *most ? "" : " to " + every(**most, "")) +
         ", calculated for the declared rate of failures";
}

}  // namespace

Decided decide(const ReportInput& input,
               const std::vector<const EstimateRow*>& rows,
               const std::vector<std::string>& quantities) {
  using enum Verdict;
  std::set<std::int64_t> cells;
  for (const EstimateRow* row : rows) {
    cells.insert(row->cell_id);
  }
  Decided decided;
  for (const std::int64_t cell : cells) {
    for (const std::string& quantity : quantities) {
      const ComparisonRow* row = input.comparison(cell, quantity);
      if (row == nullptr || !cells.contains(row->baseline_cell_id)) {
        continue;
      }
      if (row->verdict == kSlower || row->verdict == kWorse) {
        decided.above.emplace(cell, row->baseline_cell_id);
      } else if (row->verdict == kFaster || row->verdict == kBetter) {
        decided.above.emplace(row->baseline_cell_id, cell);
      } else if (row->verdict == kNoDetectableDifference) {
        decided.open.insert(std::minmax(cell, row->baseline_cell_id));
      }
    }
  }
  return decided;
}

std::vector<const EstimateRow*> leaders(std::vector<const EstimateRow*> rows,
                                        const Decided& decided) {
  std::ranges::stable_sort(rows, {}, [](const EstimateRow* row) { return *row->value; });
  const auto is_decided = [&](const EstimateRow* row) {
    return std::ranges::any_of(decided.above,
                               [&](const auto& pair) { return pair.first == row->cell_id; });
  };
  if (!std::ranges::all_of(rows, is_decided)) {
    std::erase_if(rows, is_decided);
  }
  if (!rows.empty()) {
    // Intervals are single ones: they decide nothing that a verdict, which allows for all
    // comparisons, leaves open.
    const EstimateRow& least = *rows.front();
    std::erase_if(rows, [&](const EstimateRow* row) {
      return row->lo && least.hi && *row->lo > *least.hi &&
             !decided.open.contains(std::minmax(row->cell_id, least.cell_id));
    });
  }
  return rows;
}

std::string tie_text(const std::vector<const EstimateRow*>& rows, const Decided& decided) {
  const bool are_open = std::ranges::all_of(rows, [&](const EstimateRow* row) {
    return std::ranges::all_of(rows, [&](const EstimateRow* other) {
      return row == other || decided.open.contains(std::minmax(row->cell_id, other->cell_id));
    });
  });
  return are_open ? kWithinNoise : kNotCertain;
}

std::string say_leaders(const ReportInput& input,
                        const std::vector<const EstimateRow*>& rows,
                        const std::string& what,
                        const std::function<std::string(const CellRow&)>& value_text,
                        const std::string& tie,
                        const std::string& end) {
  std::vector<std::string> names;
  for (const EstimateRow* row : rows) {
    names.push_back(name_without(input, input.cell(row->cell_id), end));
  }
  const auto value = [&] { return ", " + value_text(input.cell(rows.front()->cell_id)); };
  if (rows.size() > kMostLeaders) {
    return fmt::format(
        "over all compared values, no cell is certain to be the {}; least by estimate: {}{}",
        what,
        names.front(),
        value());
  }
  return fmt::format("{} with {}{}",
                     what,
                     join(names, ", or "),
                     rows.size() > 1 ? fmt::format(" ({})", tie) : value());
}

std::vector<Answer> metric_answers(const ReportInput& input) {
  std::vector<Answer> all;
  for (const MetricRequest& request : input.declared.analysis.metrics) {
    if (const std::string text = metric_answer(input, request); !text.empty()) {
      all.push_back({AnswerKind::kMetric, metric_name(input, request.metric), text});
    }
  }
  for (const TimeToRequest& request : input.declared.analysis.time_to) {
    std::ranges::move(time_answers(input, request), std::back_inserter(all));
  }
  if (const std::string text = save_answer(input); !text.empty()) {
    all.push_back({AnswerKind::kMetric, "How often to save", text});
  }
  return all;
}

}  // namespace scalestudy::report
