#include "harness/store/tables/summary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace scalestudy {
namespace {

constexpr std::string_view kMissing = "null";

double quantile(std::span<const double> sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Sums and differences of values near the largest double overflow; such a summary is left out.
std::optional<double> finite(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

constexpr std::string_view kSpace = " \t\r\n";

void skip_space(std::string_view& text) {
  if (!text.empty() && text.front() > ' ') {
    return;  // nearly always
  }
  text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
}

bool take(std::string_view& text, char wanted) {
  skip_space(text);
  if (text.empty() || text.front() != wanted) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

}  // namespace

SeriesSummary summarise(std::span<const double> measured) {
  SeriesSummary summary;
  summary.n = static_cast<std::int64_t>(measured.size());
  if (measured.empty()) {
    return summary;
  }
  // Two passes: the sum of squares minus the squared sum loses everything when the spread is small.
  const auto n = static_cast<double>(measured.size());
  double sum = 0.0;
  for (const double value : measured) {
    sum += value;
  }
  const double mean = sum / n;
  summary.mean = finite(mean);
  if (measured.size() >= 2) {
    double squares = 0.0;
    for (const double value : measured) {
      squares += (value - mean) * (value - mean);
    }
    summary.sd = finite(std::sqrt(squares / (n - 1.0)));
  }
  std::vector<double> sorted(measured.begin(), measured.end());
  std::sort(sorted.begin(), sorted.end());
  summary.min = sorted.front();
  summary.p50 = finite(quantile(sorted, 0.50));
  summary.p95 = finite(quantile(sorted, 0.95));
  summary.p99 = finite(quantile(sorted, 0.99));
  summary.max = sorted.back();
  return summary;
}

std::string format_values(std::span<const double> values) {
  std::string text = "[";
  text.reserve(values.size() * 22 + 2);
  std::array<char, 32> buffer{};  // the longest shortest double has 24 characters
  for (const double value : values) {
    if (std::isinf(value)) {
      throw std::logic_error("a series holds a value that is not finite");
    }
    text += text.size() > 1 ? "," : "";
    if (std::isnan(value)) {
      text += kMissing;
      continue;
    }
    auto* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    text.append(buffer.data(), end);
  }
  return text + ']';
}

bool has_all_measured(std::span<const double> values, int warmup) {
  return std::ranges::none_of(values.subspan(static_cast<std::size_t>(warmup)),
                              [](double value) { return std::isnan(value); });
}

bool same_values(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(
      a, b, [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

std::optional<std::vector<double>> parse_values(std::string_view text) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(std::ranges::count(text, ',')) + 1);
  if (!take(text, '[')) {
    return std::nullopt;
  }
  for (bool is_more = !take(text, ']'); is_more; is_more = !take(text, ']')) {
    if (!values.empty() && !take(text, ',')) {
      return std::nullopt;
    }
    skip_space(text);
    if (text.starts_with(kMissing)) {
      text.remove_prefix(kMissing.size());
      values.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    double value = 0.0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc{} || !std::isfinite(value)) {
      return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(result.ptr - text.data()));
    values.push_back(value);
  }
  skip_space(text);
  return text.empty() ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace scalestudy
