#include "stats/summary.h"

#include <algorithm>
#include <cmath>

#include "stats/check.h"
#include "stats/select.h"
#include "stats/sum.h"

namespace scalestudy::stats {

Moments moments(std::span<const double> values) {
  const std::size_t n = values.size();
  Moments result;
  result.n = n;
  result.mean = values.front();
  result.is_constant =
      std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
  if (result.is_constant) {
    return result;
  }
  const auto count = static_cast<double>(n);
  const double first_pass = pairwise_sum(0, n, [&](std::size_t i) { return values[i]; }) / count;
  const double left_over =
      pairwise_sum(0, n, [&](std::size_t i) { return values[i] - first_pass; });
  result.mean = first_pass + left_over / count;
  const double squares = pairwise_sum(
      0, n, [&](std::size_t i) { return (values[i] - first_pass) * (values[i] - first_pass); });
  const double centred = squares - left_over * left_over / count;
  result.variance = centred < 0.0 ? 0.0 : centred / (count - 1.0);  // an overflow stays visible
  return result;
}

std::optional<double> mean(std::span<const double> values) {
  if (values.empty()) {
    return std::nullopt;
  }
  return moments(values).mean;
}

std::optional<double> standard_deviation(std::span<const double> values) {
  if (values.size() < 2) {
    return std::nullopt;
  }
  return std::sqrt(moments(values).variance);
}

std::optional<double> coefficient_of_variation(std::span<const double> values) {
  if (values.size() < 2 || !all_finite(values)) {
    return std::nullopt;
  }
  const Moments m = moments(values);
  return m.mean == 0.0 ? std::nullopt : std::optional(std::sqrt(m.variance) / m.mean);
}

std::vector<double> sorted_copy(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

double sorted_quantile(std::span<const double> sorted, double p) {
  const double h = static_cast<double>(sorted.size() - 1) * p;
  const double whole = std::floor(h);
  const auto index = static_cast<std::size_t>(whole);
  if (index + 1 >= sorted.size()) {
    return sorted.back();
  }
  return sorted[index] + (h - whole) * (sorted[index + 1] - sorted[index]);
}

std::optional<double> quantile(std::span<const double> values, double p) {
  if (values.empty() || !(p >= 0.0 && p <= 1.0)) {
    return std::nullopt;
  }
  std::vector<double> copy(values.begin(), values.end());
  return select_quantile(copy, p);
}

std::optional<double> median(std::span<const double> values) {
  return quantile(values, 0.5);
}

double median_absolute_deviation(std::span<const double> values, double centre) {
  std::vector<double> deviations(values.size());
  std::transform(values.begin(), values.end(), deviations.begin(), [&](double value) {
    return std::abs(value - centre);
  });
  return select_quantile(deviations, 0.5);
}

}  // namespace scalestudy::stats
