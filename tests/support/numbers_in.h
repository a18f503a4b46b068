// The numbers of a sentence, for tests of values: how it is worded is asserted elsewhere.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string>
#include <vector>

namespace scalestudy::test {

using Numbers = std::vector<double>;

// The numbers of a sentence in their order, with signs and without commas of thousands: "-2.00 % in
// 1,000 steps" has -2 and 1000. A number inside a word ("p95") does not count.
inline Numbers numbers_in(std::string text) {
  for (std::size_t comma = text.find(','); comma != std::string::npos;
       comma = text.find(',', comma + 1)) {
    if (comma > 0 && comma + 1 < text.size() && std::isdigit(text[comma - 1]) != 0 &&
        std::isdigit(text[comma + 1]) != 0) {
      text.erase(comma--, 1);
    }
  }
  Numbers numbers;
  const char* end = text.data() + text.size();
  for (const char* at = text.data(); at < end;) {
    const bool is_inside_word = at > text.data() && std::isalnum(at[-1]) != 0;
    const bool is_sign = *at == '-' && at + 1 < end && std::isdigit(at[1]) != 0;
    double number = 0.0;
    if (!is_inside_word && (is_sign || std::isdigit(*at) != 0)) {
      at = std::from_chars(at, end, number).ptr;
      numbers.push_back(number);
    } else {
      ++at;
    }
  }
  return numbers;
}

// Whether the sentence has these numbers, one behind the other.
inline bool has_numbers(const std::string& text, const Numbers& wanted) {
  const Numbers all = numbers_in(text);
  return std::search(all.begin(), all.end(), wanted.begin(), wanted.end()) != all.end();
}

}  // namespace scalestudy::test
