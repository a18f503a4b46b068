// The sample study as if its cells differed in settings alone.
#pragma once

#include <string>
#include <vector>

#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"

namespace scalestudy::test {

// What the cell of that speedup has of a metric that is the same in all trials.
inline void add_exact(report::ReportInput& input,
                      const ComparisonRow& speedup,
                      const std::string& metric,
                      double ratio,
                      Verdict verdict) {
  ComparisonRow row = speedup;
  row.quantity = metric;
  row.value = ratio;
  row.lo.reset();
  row.hi.reset();
  row.verdict = verdict;
  input.results.comparisons.push_back(row);
}

// The sample as if its cells differed in settings alone, with what trials used.
inline report::ReportInput sample_of_techniques() {
  report::ReportInput input = read_sample();
  for (CellRow& cell : input.cells) {
    cell.devices = 1;
    cell.batch_global = 64;
    const char* overlap = cell.id % 2 == 0 ? "none" : "poll";
    cell.parameters.push_back({"overlap", overlap, ValueKind::kText, true});
    EstimateRow use = *input.estimate(input.cells.front().id, "step_time_s");
    use.cell_id = cell.id;
    for (const char* metric : {"cpu_cores", "training_cost"}) {
      use.metric = metric;
      input.results.estimates.push_back(use);
    }
  }
  input.declared.analysis.metrics = {{.metric = "peak_bytes"}, {.metric = "traffic_bytes"}};
  for (const ComparisonRow& speedup : std::vector<ComparisonRow>(input.results.comparisons)) {
    if (speedup.quantity == "speedup") {
      add_exact(input, speedup, "peak_bytes", 0.75, Verdict::kBetter);
      add_exact(input, speedup, "traffic_bytes", 1.0, Verdict::kEquivalent);
    }
  }
  input.make_index();
  return input;
}

inline std::string text_in(const report::View& row, const char* name) {
  return std::get<std::string>(row.values().at(name));
}

}  // namespace scalestudy::test
