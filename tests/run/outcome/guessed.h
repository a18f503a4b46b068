// What rules that are guessed from a text find in it, and say of themselves.
#pragma once

#include <cmath>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "harness/run/outcome/extract.h"
#include "harness/run/outcome/guess_rules.h"
#include "harness/study/matrix/command.h"
#include "harness/text/text.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

// The group of a guessed rule for numbers like those of "41 ms", and of "41ms".
inline const std::string kValue = R"((?<value>[+-]?(?i:nan|inf(?:inity)?)\b|[0-9.eE+-]+))";
inline const std::string kAttachedValue = R"((?<value>[+-]?(?i:nan|inf(?:inity)?)|[0-9.eE+-]+))";

// The values that guessed rules find of a metric, in its stored unit.
inline std::vector<double> values_of(const ProgramOutput& output,
                                     const GuessedRules& guess,
                                     const std::string& metric) {
  std::vector<ExtractRule> rules = guess.rules;
  for (ExtractRule& rule : rules) {
    const ExtractPattern compiled = parse_extract_pattern(rule.regex, "");
    CHECK(compiled.problem.empty());
    if (guess.preset.empty()) {
      rule.regex = compiled.regex;
      rule.group = compiled.group;
    }
  }
  std::istringstream out(output.out);
  std::istringstream err(output.err);
  const protocol::Record record = extract_samples(
      {.out = out, .err = err, .wall_s = 1.0}, rules, {.warmup = 0, .is_open = true}, {});
  for (const protocol::Event& event : record.events) {
    const auto* samples = std::get_if<protocol::Samples>(&event);
    if (samples != nullptr && samples->metric == metric) {
      return samples->values;
    }
  }
  return {};
}

// In whole microseconds.
inline std::vector<double> step_times_us(const std::string& text) {
  const ProgramOutput output{.out = text, .err = ""};
  std::vector<double> times = values_of(output, guess_rules(output), "step_time_s");
  for (double& time : times) {
    time = std::round(time * 1e6);
  }
  return times;
}

inline std::string notes_of(const std::string& text) {
  return join(guess_rules({.out = text, .err = ""}).notes, "\n");
}

using Numbers = std::vector<double>;

}  // namespace scalestudy::test
