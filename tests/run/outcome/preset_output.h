// What presets find in the output of programs.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "harness/run/outcome/extract.h"
#include "harness/study/parse.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

using Values = std::map<std::string, std::vector<double>>;

inline Study study_with(const std::string& extract) {
  const std::string text =
      "version: 1\nstudy: s\nworkload: command\ncommand: [a]\naxes: {devices: [1]}\n"
      "steps: {warmup: 0, measured: rest}\nextract: " +
      extract + "\n";
  const ParsedStudy parsed = parse_study(text, "s.yaml", {});
  CHECK(format_problems(parsed.problems, text, "s.yaml").empty());
  return parsed.study;
}

inline protocol::Record record_of(const std::string& extract,
                                  const std::string& out,
                                  const std::string& err = "") {
  const Study study = study_with(extract);
  std::istringstream out_lines(out);
  std::istringstream err_lines(err);
  return extract_samples({.out = out_lines, .err = err_lines}, study.extract, study.steps, {});
}

// What the preset finds over all ranks, by metric.
inline Values found(const std::string& extract,
                    const std::string& out,
                    const std::string& err = "") {
  Values values;
  for (const protocol::Event& event : record_of(extract, out, err).events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event);
        samples != nullptr && !samples->rank) {
      values[samples->metric] = samples->values;
    }
  }
  return values;
}

}  // namespace scalestudy::test
