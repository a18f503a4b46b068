// One extract rule against the lines of a program's output.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Thrown for a value that was found and cannot be used.
class BadValue : public std::runtime_error {
 public:
  explicit BadValue(const std::string& what) : std::runtime_error(without_nul(what)) {}
};

// Thrown for a number that another attempt would print again, and that cannot be stored.
class BadNumber final : public BadValue {
 public:
  using BadValue::BadValue;
};

// Thrown for a pattern that is no regular expression.
class BadPattern : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct FoundNumbers {
  std::vector<double> numbers{};      // as printed; one or more
  std::optional<int> rank = {};       // the rank that printed them; absent if the line does not say
  bool may_be_decimal_comma = false;  // the last is printed like "12,345", and no rule says which
  std::string not_finite{};           // which of them is not finite; "" if all are
  std::optional<std::int64_t> step = {};  // of the values; absent likewise
};

class LineExtractor {
 public:
  explicit LineExtractor(const ExtractRule& rule) : rule_(rule) {}
  LineExtractor(const LineExtractor&) = delete;
  LineExtractor& operator=(const LineExtractor&) = delete;
  virtual ~LineExtractor() = default;

  // What the rule finds in `line`: the first match of each rank if its pattern names the rank, else
  // the first match; none if it does not match. Throws BadValue.
  virtual std::vector<FoundNumbers> find(const std::string& line) const = 0;

  const ExtractRule& rule() const { return rule_; }

 private:
  const ExtractRule& rule_;
};

// Makes the extractor of `rule`, which outlives it and has a pattern. Throws BadPattern.
std::unique_ptr<LineExtractor> make_line_extractor(const ExtractRule& rule);

}  // namespace scalestudy
