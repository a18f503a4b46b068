#include "harness/exchange/page_numbers.h"

#include <cctype>
#include <string_view>

#include "harness/text/quantity.h"

namespace scalestudy {
namespace {

bool is_digit(const std::string& page, std::size_t at) {
  return at < page.size() && std::isdigit(static_cast<unsigned char>(page[at])) != 0;
}

bool is_word(const std::string& page, std::size_t at) {
  return at < page.size() &&
         (std::isalnum(static_cast<unsigned char>(page[at])) != 0 || page[at] == '_');
}

// Where the number that begins at `at` ends: "27,540,000.5" is one, "1,2" are two.
std::size_t end_of_number(const std::string& page, std::size_t at) {
  const auto is_part = [&](std::size_t end) {
    const bool is_group =
        is_digit(page, end + 1) && is_digit(page, end + 2) && is_digit(page, end + 3);
    return is_digit(page, end) ||
           (end < page.size() && page[end] == '.' && is_digit(page, end + 1)) ||
           (end < page.size() && page[end] == ',' && is_group);
  };
  while (is_part(at)) {
    ++at;
  }
  return at;
}

// Whether the version of the analysis begins there, which is no number of the study.
bool is_version(const std::string& page, std::size_t at) {
  constexpr std::string_view name = "Analysis version ";
  return std::string_view(page).substr(0, at).ends_with(name);
}

}  // namespace

std::vector<PageNumber> numbers_of(const std::string& page) {
  std::vector<PageNumber> numbers;
  std::size_t line = 1;
  for (std::size_t at = 0; at < page.size(); ++at) {
    line += page[at] == '\n' ? 1 : 0;
    if (!is_digit(page, at) || (at > 0 && is_word(page, at - 1))) {
      continue;
    }
    const std::size_t end = end_of_number(page, at);
    const bool is_negative = at > 0 && page[at - 1] == '-' && (at == 1 || !is_word(page, at - 2));
    const std::size_t begin = is_negative ? at - 1 : at;
    const std::string text = page.substr(begin, end - begin);
    std::string digits = text;
    std::erase(digits, ',');
    if (const auto value = parse_number(digits); value && !is_version(page, at)) {
      numbers.push_back({*value, text, line});
    }
    at = end - 1;
  }
  return numbers;
}

}  // namespace scalestudy
