#include "workloads/parameters/parameters.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "workloads/parameters/closest_word.h"
#include "workloads/parameters/tables.h"

namespace scalestudy::protocol {
namespace {

using enum ParameterKind;

constexpr std::string_view kTrain = "train";
constexpr std::string_view kCollective = "collective";

std::vector<std::string_view> split_words(std::string_view allowed) {
  std::vector<std::string_view> words;
  while (!allowed.empty()) {
    const std::size_t bar = std::min(allowed.find('|'), allowed.size());
    words.push_back(allowed.substr(0, bar));
    allowed.remove_prefix(std::min(bar + 1, allowed.size()));
  }
  return words;
}

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

std::string check_word(const ParameterInfo& parameter, std::string_view text) {
  const std::vector<std::string_view> words = split_words(parameter.allowed);
  if (words.empty() || std::find(words.begin(), words.end(), text) != words.end()) {
    return "";
  }
  std::string message = std::string(parameter.name) + " is " + quoted(text) + ", allowed: ";
  for (const std::string_view word : words) {
    message += (word == words.front() ? "" : ", ") + std::string(word);
  }
  const std::string_view closest = closest_word(text, words);
  return closest.empty() ? message : message + " (did you mean " + quoted(closest) + "?)";
}

template <typename Number>
std::optional<Number> read_number(std::string_view text) {
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Whether `value` lies in an interval of the table, "[1, 64]" or "(0, inf)"; empty: everything.
bool is_in_range(std::string_view allowed, double value) {
  if (allowed.empty()) {
    return true;
  }
  const std::size_t comma = allowed.find(", ");
  const double lo = read_number<double>(allowed.substr(1, comma - 1)).value();
  const double hi =
      read_number<double>(allowed.substr(comma + 2, allowed.size() - comma - 3)).value();
  return (allowed.front() == '[' ? value >= lo : value > lo) &&
         (allowed.back() == ']' ? value <= hi : value < hi);
}

std::string check_number(const ParameterInfo& parameter, std::string_view text) {
  const bool is_integer = parameter.kind == kInteger;
  std::optional<double> value;
  if (!is_integer) {
    value = read_number<double>(text);
  } else if (const auto integer = read_number<std::int64_t>(text)) {
    value = static_cast<double>(*integer);
  }
  if (value && std::isfinite(*value) && is_in_range(parameter.allowed, *value)) {
    return "";
  }
  std::string message = std::string(parameter.name) + " is " + quoted(text) +
                        ", allowed: " + (is_integer ? "an integer" : "a number");
  if (!parameter.allowed.empty()) {
    std::string allowed(parameter.allowed);
    if (is_integer && allowed.ends_with("inf)")) {
      allowed.replace(
          allowed.size() - 4, 4, std::to_string(std::numeric_limits<std::int64_t>::max()) + "]");
    }
    message += " in " + allowed;
  }
  return parameter.unit.empty() ? message : message + " " + std::string(parameter.unit);
}

std::string check_list(const ParameterInfo& parameter, std::string_view text) {
  std::int64_t last = 0;
  for (std::string_view rest = text;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto number = read_number<std::int64_t>(rest.substr(0, comma));
    if (!number || *number <= last || rest.front() == '0') {
      return std::string(parameter.name) + " is " + quoted(text) +
             ", allowed: ascending integers from 1 with commas between them, no blanks: "
             "\"30,60\" " +
             std::string(parameter.unit);
    }
    if (comma == rest.size()) {
      return "";
    }
    last = *number;
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace

std::span<const ParameterInfo> workload_parameters(std::string_view workload) {
  if (workload == kTrain) {
    return train_parameters();
  }
  if (workload == kCollective) {
    return collective_parameters();
  }
  return {};
}

const ParameterInfo* find_parameter(std::string_view workload, std::string_view name) {
  const auto table = workload_parameters(workload);
  const auto found = std::find_if(
      table.begin(), table.end(), [name](const ParameterInfo& info) { return info.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string_view default_value(const ParameterInfo& parameter,
                               const std::map<std::string, std::string>& beside) {
  for (const OtherDefault& other : parameter.other_defaults) {
    const auto given = beside.find(std::string(other.parameter));
    if (given != beside.end() && given->second == other.value) {
      return other.default_value;
    }
  }
  return parameter.default_value;
}

std::string check_parameter(const ParameterInfo& parameter, std::string_view text) {
  switch (parameter.kind) {
    case kInteger:
    case kReal:
      return check_number(parameter, text);
    case kText:
      return check_word(parameter, text);
    case kIntegers:
      return check_list(parameter, text);
    case kFlag:
      break;
  }
  if (text == "true" || text == "false") {
    return "";
  }
  return std::string(parameter.name) + " is " + quoted(text) + ", allowed: true, false";
}

std::vector<std::string> builtin_workloads() {
  return {std::string(kTrain), std::string(kCollective)};
}

}  // namespace scalestudy::protocol
