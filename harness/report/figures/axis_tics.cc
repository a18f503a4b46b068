#include "harness/report/figures/axis_tics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>

#include <fmt/format.h>

namespace scalestudy::report {

std::vector<double> round_numbers() {
  std::vector<double> numbers;
  for (int power = -9; power <= 9; ++power) {
    for (const double digit : {1.0, 2.0, 5.0}) {
      numbers.push_back(digit * std::pow(10.0, power));
    }
  }
  return numbers;
}

std::string log_tics(char axis,
                     double least,
                     double most,
                     const std::vector<double>& usual,
                     std::string (*text_of)(double)) {
  constexpr std::ptrdiff_t fewest = 3;
  constexpr double widest = 1000.0;  // from there on labels of `usual` run together
  constexpr double most_powers = 8.0;
  std::vector<double> places = usual;
  const auto is_inside = [&](double place) { return least <= place && place <= most; };
  const double span = most / least;
  if (std::isfinite(span) && span >= widest) {
    const double step = std::max(1.0, std::ceil(std::log10(span) / most_powers));
    const auto last = static_cast<int>(std::ceil(std::log10(most) / step));
    places.clear();
    for (auto n = static_cast<int>(std::floor(std::log10(least) / step)); n <= last; ++n) {
      places.push_back(std::pow(10.0, n * step));
    }
  } else if (most > least && std::ranges::count_if(usual, is_inside) < fewest) {
    // The widest step of 1, 2 or 5 and zeros of which the data holds enough multiples.
    double step = std::pow(10.0, std::ceil(std::log10(most)));
    const auto multiples = [&] { return std::floor(most / step) - std::ceil(least / step) + 1.0; };
    for (int i = 0; multiples() < static_cast<double>(fewest); ++i) {
      step /= i % 3 == 1 ? 2.5 : 2.0;
    }
    // The axis is a little longer than its data.
    const double margin = 0.5 * (most - least);
    places.clear();
    for (double n = std::max(1.0, std::ceil((least - margin) / step)); n * step <= most + margin;
         ++n) {
      places.push_back(n * step);
    }
  } else if (std::ranges::none_of(usual, is_inside)) {
    places.push_back(std::stod(fmt::format("{:.3g}", least)));  // one value alone
  }
  std::string text;
  for (const double place : places) {
    const std::string label = text_of == nullptr ? fmt::format("{:.10g}", place) : text_of(place);
    text += (text.empty() ? "" : ", ") + fmt::format("'{}' {:.10g}", label, place);
  }
  return fmt::format("set {}tics ({})\n", axis, text);
}

std::string short_count(double value) {
  constexpr double least = 1e4;
  constexpr double thousand = 1e3;
  constexpr double million = 1e6;
  constexpr double billion = 1e9;
  if (value < least) {
    return format_axis_value(value);
  }
  constexpr double rounds_up = 0.9995;  // of a unit: the next one from there on
  return value < rounds_up * million   ? fmt::format("{:.3g}k", value / thousand)
         : value < rounds_up * billion ? fmt::format("{:.3g}M", value / million)
                                       : fmt::format("{:.3g}B", value / billion);
}

std::string count_tics(double most) {
  constexpr double least = 1e5;
  constexpr double fewest = 5.0;
  if (most < least || !std::isfinite(most)) {
    return "";
  }
  double step = std::pow(10.0, std::floor(std::log10(most)));
  for (int i = 0; most / step < fewest; ++i) {
    step /= i % 3 == 1 ? 2.5 : 2.0;
  }
  std::string text = "'0' 0";
  for (int n = 1; n * step <= most; ++n) {
    text += fmt::format(", '{}' {:.10g}", short_count(n * step), n * step);
  }
  return fmt::format("set ytics ({})\n", text);
}

namespace {

// The ends of the values, and from the largest down those whose labels would not touch another.
std::set<double> with_room(const std::map<double, std::string>& labels, bool is_log) {
  constexpr double width = 400.0;  // of the narrowest plot, in pixels
  constexpr double digit_width = 9.0;
  constexpr double gap = 4.0;
  const double first = labels.begin()->first;
  const double last = labels.rbegin()->first;
  const auto place = [&](double value) { return is_log ? std::log2(value) : value; };
  const auto are_apart = [&](double low, double high) {
    const double share = (place(high) - place(low)) / (place(last) - place(first));
    const std::size_t digits = labels.at(low).size() + labels.at(high).size();
    return share * width >= 0.5 * digit_width * static_cast<double>(digits) + gap;
  };
  std::set<double> kept{first, last};
  double above = last;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    const double value = label->first;
    if (are_apart(value, above) && are_apart(first, value)) {
      kept.insert(value);
      above = value;
    }
  }
  return kept;
}

}  // namespace

std::string value_tics(const std::vector<Series>& all,
                       bool is_log,
                       const std::set<double>& marked,
                       std::string (*text_of)(double)) {
  const std::set<double> values = x_values_of(all);
  std::map<double, std::string> labels;
  for (const double value : values) {
    labels[value] = text_of(value) + (marked.contains(value) ? " †" : "");
  }
  // Where a value is not above 0 the axis is neither linear nor logarithmic.
  const bool has_scale = !is_log || *values.begin() > 0.0;
  const std::set<double> shown = has_scale ? with_room(labels, is_log) : values;
  std::string text = "set xtics (";
  for (const auto& [value, label] : labels) {
    text += (text.ends_with('(') ? "" : ", ") +
            fmt::format("'{}' {}", shown.contains(value) ? label : "", value);
  }
  return text + fmt::format(")\nx_least = {}\nx_most = {}\n", *values.begin(), *values.rbegin());
}

bool need_log_axis(const std::set<double>& values) {
  constexpr double least_gap = 0.04;  // of the axis
  if (values.empty() || *values.begin() <= 0.0) {
    return false;
  }
  const double first = *values.begin();
  const double last = *values.rbegin();
  double gap = 1.0;
  double log_gap = 1.0;
  for (auto at = std::next(values.begin()); at != values.end(); ++at) {
    const double before = *std::prev(at);
    gap = std::min(gap, (*at - before) / (last - first));
    log_gap = std::min(log_gap, std::log(*at / before) / std::log(last / first));
  }
  return gap < std::min(least_gap, log_gap);
}

}  // namespace scalestudy::report
