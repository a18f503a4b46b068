// Parameters of one run as texts, for checks of combinations.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <system_error>

#include "workloads/names/names.h"

namespace scalestudy::protocol {

// The texts of one run's parameters. integer() and real() return 0 for a parameter without a text,
// or whose text is not a number as a whole.
class GivenValues {
 public:
  // `values` outlives this.
  explicit GivenValues(const std::map<std::string, std::string>& values) : values_(values) {}

  // The text of a parameter; empty if it has neither a value nor a default.
  std::string_view operator[](std::string_view name) const {
    const auto found = values_.find(std::string(name));
    return found == values_.end() ? std::string_view() : std::string_view(found->second);
  }

  std::int64_t integer(std::string_view name) const { return number<std::int64_t>(name); }
  double real(std::string_view name) const { return number<double>(name); }

 private:
  template <typename Number>
  Number number(std::string_view name) const {
    const std::string_view text = (*this)[name];
    Number value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : 0;
  }

  const std::map<std::string, std::string>& values_;
};

// Whether gradients travel in another type than they are computed in.
inline bool is_rounded(const GivenValues& given) {
  const std::string_view type = given[names::kCommDtype];
  const std::string_view own =
      given[names::kPrecision] == "tf32" ? "fp32" : given[names::kPrecision];
  return !type.empty() && type != own;
}

}  // namespace scalestudy::protocol
