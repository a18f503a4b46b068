#include "harness/study/declared/value.h"

#include <array>
#include <charconv>
#include <string>

namespace scalestudy {
namespace {

template <typename Number>
std::string shortest(Number number) {
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

}  // namespace

std::string format_value(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    return *flag ? "true" : "false";
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return shortest(*integer);
  }
  if (const auto* real = std::get_if<double>(&value)) {
    return shortest(*real);
  }
  return std::get<std::string>(value);
}

std::optional<double> number_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*integer);
  }
  const auto* real = std::get_if<double>(&value);
  return real == nullptr ? std::nullopt : std::optional(*real);
}

}  // namespace scalestudy
