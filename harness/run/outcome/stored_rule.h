// A rule with what makes a printed number a stored one: its unit, the amount of a step,
// differences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/output/step_numbers.h"
#include "harness/run/values/line_extractor.h"
#include "harness/study/matrix/command.h"

namespace scalestudy {

// A value that is no number to count with; NaN is in its place.
struct MissingValue {
  std::size_t index;  // among those of its rank
  std::string why;
};

// The values of one metric by rank; those without a rank are of all ranks together.
struct RankValues {
  std::map<std::optional<int>, NumberedValues> by_rank;
  std::size_t count = 0;                // of all
  std::size_t commas = 0;               // that may be decimal commas
  std::vector<MissingValue> missing{};  // of the last line
};

class StoredRule {
 public:
  // Throws BadPattern, also where the cell does not have the amount of a step.
  StoredRule(const ExtractRule& rule, const Parameters& parameters);

  // Appends the values of `line`, which it returns as printed; none if it does not match. Throws
  // BadValue.
  std::vector<FoundNumbers> feed(const std::string& line, RankValues& values);

  const ExtractRule& rule() const { return extractor_->rule(); }

  // How many steps a value covers as it is printed; 1 or more.
  double steps_of_value() const { return scalestudy::steps_of_value(rule(), amount_); }

 private:
  // A number as printed, and the step that it is of.
  struct Reading {
    double printed = 0.0;
    std::optional<std::int64_t> step;
  };

  std::optional<double> difference(const Reading& before, const Reading& now) const;
  std::string find_fault(double printed, double stored, const FoundNumbers& found) const;
  void add(double printed, const FoundNumbers& found, RankValues& values) const;

  std::unique_ptr<LineExtractor> extractor_;
  StoredUnit unit_;
  double amount_;
  std::map<std::optional<int>, std::optional<Reading>> previous_;  // by rank
};

// Where rules look: a stream, or a file as the rules declare it.
struct Source {
  ExtractSource stream = ExtractSource::kOutput;
  std::string file{};   // "": the stream
  bool is_log = false;  // both streams are one log, which is read as stdout, then as stderr

  [[nodiscard]] std::string name() const;  // "stderr", "out.json", "log"; "log line 3"
  [[nodiscard]] std::string noun() const;  // the same in a sentence: "the log"
};

bool looks_at(const ExtractRule& rule, const Source& source);
bool looks_at(const std::vector<StoredRule>& rules, const Source& source);  // one of them does

// "stdout", "stdout or stderr", "out.json": where these rules of a metric look.
std::string places(const std::vector<StoredRule>& rules, bool is_log);

}  // namespace scalestudy
