#include "stats/slow_groups.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "stats/distributions.h"
#include "stats/multiplicity.h"
#include "stats/summary.h"

namespace scalestudy::stats {
namespace {

double squares_about(const std::vector<double>& values, double centre) {
  double sum = 0.0;
  for (const double value : values) {
    sum += (value - centre) * (value - centre);
  }
  return sum;
}

std::optional<LabelExcess> excess_of(const std::string& label,
                                     std::span<const LabelledValue> values) {
  std::vector<double> with;
  std::vector<double> without;
  for (const LabelledValue& value : values) {
    const bool has_label = std::ranges::find(value.labels, label) != value.labels.end();
    (has_label ? with : without).push_back(value.value);
  }
  if (with.size() < 2 || without.size() < 2) {
    return std::nullopt;
  }
  const double mean_with = *mean(with);
  const double mean_without = *mean(without);
  const auto n_with = static_cast<double>(with.size());
  const auto n_without = static_cast<double>(without.size());
  const double df = n_with + n_without - 2.0;
  const double variance =
      (squares_about(with, mean_with) + squares_about(without, mean_without)) / df;
  const double se = std::sqrt(variance * (1.0 / n_with + 1.0 / n_without));
  const double difference = mean_with - mean_without;
  // Without any spread within the sides there is nothing to hold a difference against.
  const double p = se > 0.0 ? student_t_upper_tail(difference / se, df) : 1.0;
  return LabelExcess{.label = label,
                     .n_with = with.size(),
                     .n_without = without.size(),
                     .difference = difference,
                     .p = p,
                     .p_adjusted = 1.0};
}

}  // namespace

SlowGroups slow_groups(std::span<const LabelledValue> values) {
  SlowGroups result;
  std::set<std::string> names;
  for (const LabelledValue& value : values) {
    if (!std::isfinite(value.value)) {
      result.status = Status::kInvalidInput;
      return result;
    }
    names.insert(value.labels.begin(), value.labels.end());
  }
  std::vector<std::optional<double>> p;
  for (const std::string& name : names) {
    if (const auto excess = excess_of(name, values)) {
      result.labels.push_back(*excess);
      p.emplace_back(excess->p);
    }
  }
  if (result.labels.empty()) {
    return result;
  }
  const bool is_constant = std::ranges::all_of(
      values, [&](const LabelledValue& value) { return value.value == values.front().value; });
  if (is_constant) {
    return {.status = Status::kZeroVariance, .labels = {}};
  }
  const AdjustedP adjusted = holm(p);
  for (std::size_t i = 0; i < result.labels.size(); ++i) {
    result.labels[i].p_adjusted = adjusted.adjusted[i].value_or(1.0);
  }
  result.status = Status::kOk;
  return result;
}

}  // namespace scalestudy::stats
