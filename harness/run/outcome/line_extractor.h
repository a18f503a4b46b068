// One extract rule against the lines of a program's output.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/study/declared/study.h"

namespace scalestudy {

// A value that was found and cannot be used.
class BadValue : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// One that is a number, and none that can be stored.
class BadNumber final : public BadValue {
 public:
  using BadValue::BadValue;
};

// A pattern that no line can be searched with.
class BadPattern : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct FoundNumbers {
  std::vector<double> numbers{};  // as printed; none where the rule does not match
  std::optional<int> rank = {};   // whose they are, where the line says so
};

class LineExtractor {
 public:
  explicit LineExtractor(const ExtractRule& rule) : rule_(rule) {}
  LineExtractor(const LineExtractor&) = delete;
  LineExtractor& operator=(const LineExtractor&) = delete;
  virtual ~LineExtractor() = default;

  // What the rule finds in `line`. Throws BadValue.
  virtual FoundNumbers find(const std::string& line) const = 0;

  const ExtractRule& rule() const { return rule_; }

 private:
  const ExtractRule& rule_;
};

// `rule` outlives the extractor and has a pattern. Throws BadPattern.
std::unique_ptr<LineExtractor> make_line_extractor(const ExtractRule& rule);

}  // namespace scalestudy
