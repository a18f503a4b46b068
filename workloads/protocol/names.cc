#include "workloads/protocol/names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "workloads/names/names.h"

namespace scalestudy::protocol {
namespace {

// Not std::isalpha: that depends on the locale.
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxNameBytes && is_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '-';
         });
}

bool is_unit(std::string_view text) {
  return text.size() <= kMaxUnitBytes && std::all_of(text.begin(), text.end(), [](char c) {
           return c >= ' ' && c <= '~' && c != '"' && c != '\\';
         });
}

bool is_time_metric(std::string_view metric) {
  return metric.ends_with("_time_s");
}

std::string find_window_problem(const Samples& samples) {
  const bool is_good = samples.metric != names::kWindowTime ||
                       (samples.values.size() == 1 && !samples.rank && samples.warmup == 0 &&
                        std::isfinite(samples.values.front()) && samples.values.front() > 0.0);
  return is_good ? "" : "window_time_s: not one finite time above 0, over all ranks and no warm-up";
}

std::string format_double(double value) {
  if (value == 0.0 && std::signbit(value)) {
    return "-0.0";
  }
  std::array<char, 32> buffer{};  // the longest shortest double has 24 characters
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

}  // namespace scalestudy::protocol
