#include "harness/report/answer/target_answers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include <fmt/format.h>

#include "harness/report/input/cell_names.h"
#include "harness/report/input/declared_prices.h"
#include "harness/report/input/estimates.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr std::size_t kMostNamed = 3;  // settings of one list

std::string amount(const ReportInput& input, const std::string& metric, const Measure& measure) {
  return is_fraction(metric)
             ? format_share(measure, " %")
             : format_amount(
                   measure, unit_of(input, metric), {}, largest_estimate(input.results, metric));
}

// " at 2.5 USD per device-hour" if the metric has other values at the study's other prices.
std::string price_of_limit(const ReportInput& input, const std::string& metric) {
  const std::optional<Cost>& cost = input.declared.cost;
  return cost && !cost->others.empty() &&
                 largest_estimate(input.results, metric + price_suffix(*cost, cost->others.front()))
             ? " at " + hourly_text(cost->price, cost->currency)
             : "";
}

// The unit of the metric, also where no cell has an estimate of it.
std::string limit_unit(const ReportInput& input, const std::string& metric) {
  if (input.index.metrics.contains(metric)) {
    return unit_of(input, metric);
  }
  if (const Metric* known = find_metric(metric)) {
    return known->unit == "1" ? "" : std::string(known->unit);
  }
  return metric == kTrainingHours                                               ? "h"
         : metric == "training_kwh"                                             ? "kWh"
         : metric == "training_cost" || metric.starts_with("cost_per_million_") ? currency_of(input)
                                                                                : "";
}

// "40 GiB", and whether that alone says what is meant: an upper limit with a unit.
std::string level_text(const ReportInput& input, const Limit& limit) {
  return is_fraction(limit.metric)
             ? format_percent(limit.level)
             : format_declared_amount(limit.level,
                                      limit_unit(input, limit.metric),
                                      largest_estimate(input.results, limit.metric)) +
                   price_of_limit(input, limit.metric);
}

bool is_plain(const ReportInput& input, const Limit& limit) {
  return !limit.is_least && !limit_unit(input, limit.metric).empty();
}

// "not within 40 GiB", "accuracy not at least 0.9"; "not certain to be within 40 GiB".
std::string verdict_text(const ReportInput& input, const Limit& limit, const char* verdict) {
  return is_plain(input, limit) ? fmt::format("{} within {}", verdict, level_text(input, limit))
                                : fmt::format("{} {} at {} {}",
                                              metric_words(limit.metric),
                                              verdict,
                                              limit.is_least ? "least" : "most",
                                              level_text(input, limit));
}

// "out of memory", "failed", "not measured".
std::string why_not_measured(const ReportInput& input, const CellRow& cell) {
  const std::optional<Verdict> loss = loss_of(input, cell);
  return loss ? to_word(*loss) : "not measured";
}

// The settings with one of these verdicts on the limit; "" for none.
std::string settings_with(const ReportInput& input, const Limit& limit, TargetVerdict verdict) {
  std::vector<std::string> names;
  for (const TargetResultRow& row : input.results.targets) {
    if (is_limit(row) && row.metric == limit.metric && row.cell_id && row.verdict == verdict) {
      names.push_back(fmt::format("{} ({})",
                                  cell_name(input, input.cell(*row.cell_id)),
                                  row.value ? amount(input, row.metric, measure_of(row))
                                            : why_not_measured(input, input.cell(*row.cell_id))));
    }
  }
  if (names.size() > kMostNamed + 1) {
    const auto more = static_cast<std::int64_t>(names.size() - kMostNamed);
    names.resize(kMostNamed);
    names.push_back(fmt::format("{} more", more));
  }
  return join_words(names);
}

}  // namespace

std::size_t target_cells(const ReportInput& input, const std::string& name) {
  return static_cast<std::size_t>(std::count_if(
      input.results.targets.begin(), input.results.targets.end(), [&](const TargetResultRow& row) {
        return row.name == name && row.cell_id.has_value();
      }));
}

std::vector<const TargetResultRow*> distinct_targets(const ReportInput& input) {
  std::vector<const TargetResultRow*> targets;
  for (const TargetResultRow& target : input.results.targets) {
    if (!is_limit(target) && (!target.cell_id || target_cells(input, target.name) < 2)) {
      targets.push_back(&target);
    }
  }
  return targets;
}

std::string target_summary(const ReportInput& input) {
  std::map<TargetVerdict, int> counts;
  std::vector<std::string> failed;
  for (const TargetResultRow* target : distinct_targets(input)) {
    ++counts[target->verdict];
    if (target->verdict != TargetVerdict::kMet) {
      failed.push_back(target->name);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [verdict, count] : counts) {
    texts.push_back(fmt::format("{} {}", count, to_word(verdict)));
  }
  return join(texts, ", ") + (failed.empty() ? "" : " (" + join(failed, "; ") + ")");
}

bool keeps_limits(const ReportInput& input, const CellRow& cell) {
  const EstimateRow* fits = input.estimate(cell.id, names::kFitShare);
  const bool is_probe =
      fits != nullptr && (fits->value != 1.0 || fits->n < input.declared.trials.count);
  return !is_probe && std::ranges::none_of(input.results.targets, [&](const TargetResultRow& row) {
    return row.cell_id == cell.id && row.verdict != TargetVerdict::kMet && is_limit(row);
  });
}

std::optional<Verdict> loss_of(const ReportInput& input, const CellRow& cell) {
  std::size_t lost = 0;
  std::size_t out_of_memory = 0;
  for (const TrialRow* trial : input.last_attempts()) {
    if (trial->cell_id != cell.id || trial->state == TrialState::kSkipped) {
      continue;
    }
    if (!has_failed(trial->state) || trial->state == TrialState::kInvalid) {
      return std::nullopt;
    }
    ++lost;
    out_of_memory += trial->state == TrialState::kOom ? 1 : 0;
  }
  return lost == 0
             ? std::nullopt
             : std::optional(lost == out_of_memory ? Verdict::kOutOfMemory : Verdict::kFailed);
}

std::string within_text(const ReportInput& input) {
  std::vector<std::string> plain;
  std::vector<std::string> others;
  for (const Limit& limit : input.declared.analysis.within) {
    const std::string level = level_text(input, limit);
    (is_plain(input, limit) ? plain : others)
        .push_back(is_plain(input, limit) ? level.substr(0, level.find(" ("))  // as declared
                                          : verdict_text(input, limit, "of"));
  }
  return std::string(input.declared.largest ? " that fits" : "") +
         (plain.empty() ? "" : " within " + join_words(plain)) +
         (others.empty() ? "" : " with " + join_words(others));
}

std::string left_out(const ReportInput& input) {
  std::vector<std::string> texts;
  for (const Limit& limit : input.declared.analysis.within) {
    const std::string missed = settings_with(input, limit, TargetVerdict::kMissed);
    const std::string open = settings_with(input, limit, TargetVerdict::kUndecided);
    if (!missed.empty()) {
      texts.push_back(verdict_text(input, limit, "not") + ": " + missed);
    }
    if (!open.empty()) {
      texts.push_back(verdict_text(input, limit, "not certain to be") + ": " + open);
    }
  }
  const bool is_some_kept = std::ranges::any_of(input.cells, [&](const CellRow& cell) {
    return cell.role == CellRole::kMeasured && keeps_limits(input, cell);
  });
  return (texts.empty() || is_some_kept ? "" : "every setting; ") + join(texts, "; ");
}

}  // namespace scalestudy::report
