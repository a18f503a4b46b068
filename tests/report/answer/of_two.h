// Answers on what to use from the verdicts of 2 devices against 1 alone.
#pragma once

#include <vector>

#include "harness/report/answer/choice.h"
#include "tests/report/sample_study.h"

namespace scalestudy::test {

// The sample with these verdicts on 2 devices at the three batches.
inline report::ReportInput sample_of_two(const std::vector<Verdict>& speedups,
                                         const std::vector<Verdict>& efficiencies) {
  using enum Verdict;
  report::ReportInput input = read_sample();
  std::size_t next = 0;
  for (ComparisonRow& row : input.results.comparisons) {
    if (input.cell(row.cell_id).devices != 2) {
      continue;
    }
    if (row.quantity == "speedup") {
      row.verdict = speedups.at(next);
      row.value = row.verdict == kSlower ? 0.9 : 1.4;
    } else if (row.quantity == "efficiency") {
      row.verdict = efficiencies.at(next++);
      row.value = row.verdict == kFaster ? 1.1 : 0.7;
    }
  }
  return input;
}

// What is chosen from the pairs of 2 devices against 1.
inline std::vector<report::Answer> choices_of_two(const report::ReportInput& input) {
  std::vector<report::Pair> pairs = pairs_of(input);
  std::erase_if(pairs, [](const report::Pair& pair) { return pair.cell->devices != 2; });
  return choices(input, pairs);
}

inline std::vector<report::Answer> of_two(const std::vector<Verdict>& speedups,
                                          const std::vector<Verdict>& efficiencies) {
  return choices_of_two(sample_of_two(speedups, efficiencies));
}

}  // namespace scalestudy::test
