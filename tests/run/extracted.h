// Rules, and what they find in a text.
#pragma once

#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "harness/run/outcome/extract.h"

namespace scalestudy::test {

inline constexpr Steps kSteps{.warmup = 1, .measured = 2};

inline ExtractRule json_rule(const std::string& path) {
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "s";
  rule.json_path = path;
  return rule;
}

inline ExtractRule regex_rule(const std::string& regex, int group = 1) {
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "s";
  rule.regex = regex;
  rule.group = group;
  return rule;
}

inline ExtractRule mllog_rule(const std::string& key) {
  ExtractRule rule;
  rule.metric = "throughput";
  rule.unit = "samples/s";
  rule.mllog_key = key;
  return rule;
}

inline protocol::Record extract(const std::string& text, const ExtractRule& rule) {
  std::istringstream out(text);
  std::istringstream err;
  return extract_samples({.out = out, .err = err}, {rule}, kSteps, {});
}

inline protocol::Record extract_both(const std::string& text_out,
                                     const std::string& text_err,
                                     const std::vector<ExtractRule>& rules,
                                     const Steps& steps = kSteps,
                                     const Parameters& parameters = {}) {
  std::istringstream out(text_out);
  std::istringstream err(text_err);
  return extract_samples({.out = out, .err = err, .wall_s = 7.5}, rules, steps, parameters);
}

inline std::vector<double> values_of(const protocol::Record& record) {
  for (const protocol::Event& event : record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event)) {
      return samples->values;
    }
  }
  return {};
}

}  // namespace scalestudy::test
