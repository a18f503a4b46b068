// The numbers that a page of a report prints.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace scalestudy {

struct PageNumber {
  double value = 0.0;
  std::string text;  // as printed
  std::size_t line = 0;
};

// The numbers that a page prints, with their commas ("27,540,000") and signs; no digits of words
// ("fp32").
std::vector<PageNumber> numbers_of(const std::string& page);

}  // namespace scalestudy
