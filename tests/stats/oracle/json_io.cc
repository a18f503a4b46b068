#include "tests/stats/oracle/json_io.h"

#include <limits>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

namespace scalestudy::test {
namespace {

const Json& member(const Json& input, const std::string& key) {
  const auto found = input.find(key);
  if (found == input.end()) {
    throw std::runtime_error("input has no '" + key + "'");
  }
  return *found;
}

double number_of(const Json& value, const std::string& key) {
  if (value.is_number()) {
    return value.get<double>();
  }
  if (value == "NaN") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (value == "Infinity") {
    return std::numeric_limits<double>::infinity();
  }
  if (value == "-Infinity") {
    return -std::numeric_limits<double>::infinity();
  }
  throw std::runtime_error("'" + key + "' holds " + value.dump() + ", not a number");
}

const Json& array_of(const Json& value, const std::string& key) {
  if (!value.is_array()) {
    throw std::runtime_error("'" + key + "' is not an array");
  }
  return value;
}

std::vector<double> numbers_of(const Json& value, const std::string& key) {
  std::vector<double> result;
  for (const Json& entry : array_of(value, key)) {
    result.push_back(number_of(entry, key));
  }
  return result;
}

}  // namespace

double number(const Json& input, const std::string& key) {
  return number_of(member(input, key), key);
}

std::size_t whole_number(const Json& input, const std::string& key) {
  const Json& value = member(input, key);
  if (!value.is_number_unsigned()) {
    throw std::runtime_error("'" + key + "' is not a whole number");
  }
  return value.get<std::size_t>();
}

std::string word(const Json& input, const std::string& key) {
  const Json& value = member(input, key);
  if (!value.is_string()) {
    throw std::runtime_error("'" + key + "' is not a string");
  }
  return value.get<std::string>();
}

std::vector<double> numbers(const Json& input, const std::string& key) {
  return numbers_of(member(input, key), key);
}

std::vector<std::vector<double>> groups(const Json& input, const std::string& key) {
  std::vector<std::vector<double>> result;
  for (const Json& group : array_of(member(input, key), key)) {
    result.push_back(numbers_of(group, key));
  }
  return result;
}

std::optional<double> optional_number(const Json& input, const std::string& key) {
  const Json& value = member(input, key);
  return value.is_null() ? std::nullopt : std::optional(number_of(value, key));
}

std::vector<std::optional<double>> optional_numbers(const Json& input, const std::string& key) {
  std::vector<std::optional<double>> result;
  for (const Json& entry : array_of(member(input, key), key)) {
    result.push_back(entry.is_null() ? std::nullopt : std::optional(number_of(entry, key)));
  }
  return result;
}

Json to_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const std::optional<std::size_t>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(stats::Status status) {
  return std::string(stats::format_status(status));
}

void put_estimate(Json& out,
                  const std::string& name,
                  const std::string& lo,
                  const std::string& hi,
                  const stats::Estimate& estimate) {
  out[name] = to_json(estimate.value);
  out[lo] = to_json(estimate.lo);
  out[hi] = to_json(estimate.hi);
}

}  // namespace scalestudy::test
