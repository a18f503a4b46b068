// The output of a program of the user's. The lines before "---8<---" are patterns of regex rules.
#include <sstream>

#include "harness/run/outcome/extract.h"
#include "harness/run/outcome/trial_record.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  const auto [patterns, output] = split(input);
  std::vector<ExtractRule> rules(2);
  rules[0].metric = "a";
  rules[0].json_path = "a.b.0";
  rules[1].metric = "b_time_s";
  rules[1].mllog_key = "k";
  std::istringstream lines(patterns);
  for (std::string line; std::getline(lines, line) && rules.size() < 6;) {
    ExtractRule rule;
    rule.metric = "m" + std::to_string(rules.size());
    rule.regex = line;
    rules.push_back(rule);
  }
  std::istringstream out(output);
  std::istringstream err(output);
  rules[0].from = ExtractSource::kStderr;
  rules[1].is_difference = true;
  (void)series_rows(extract_samples({.out = out, .err = err}, rules, Steps{}, {}));
}
