// Metrics that a study asks for: their answers and their tables.
#include "harness/report/answer/metric_answers.h"

#include <algorithm>
#include <optional>
#include <string>

#include "harness/report/input/cell_names.h"
#include "harness/report/rules/lint.h"
#include "tests/report/sample_study.h"
#include "tests/report/two_strategies.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;
using test::kTwoStrategies;
using test::run_text;
using test::sentence;

TEST_CASE("a metric's own margin stands over its table", "[report]") {
  std::string text = kTwoStrategies;
  text.insert(text.find("better: lower}") + 13, ", margin: 5%");

  CHECK_THAT(test::render_kind(run_text(text), "scaling"),
             Contains("### Peak memory, lower is better; differences below 5 % do not "
                      "matter\n"));
}

TEST_CASE("a metric is named in words, its bytes are in a readable unit", "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  for (EstimateRow& row : input.results.estimates) {
    if (row.metric == "peak_bytes") {
      row.unit = "bytes";
      row.value = 52.07e6;
      row.lo = row.hi = std::nullopt;
    }
  }
  const std::string page = test::render_kind(input, "scaling");
  const std::size_t begin = page.find("### Peak memory, lower is better\n");
  REQUIRE(begin != std::string::npos);
  const std::string table = page.substr(begin, page.find("\nData:", begin) - begin);

  CHECK_THAT(table, Contains("| 49.66 MiB |") && !Contains(",000"));
  CHECK_THAT(page, !Contains("**peak_bytes:**"));
}

TEST_CASE("a metric of one pair is answered in a few words", "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  std::erase_if(input.results.comparisons, [&](const ComparisonRow& row) {
    return row.quantity == "peak_bytes" && input.cell(row.cell_id).hash != input.cells[2].hash;
  });
  REQUIRE(std::ranges::count(input.results.comparisons, "peak_bytes", &ComparisonRow::quantity) ==
          1);
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "peak_bytes") {
      row.value = 0.5948;
      row.lo = row.hi = std::nullopt;
      row.verdict = Verdict::kBetter;
      row.finding = "a long sentence";
    }
  }
  input.make_index();

  CHECK(sentence(metric_answers(input), "peak memory") ==
        "better, 0.5948x with 2 devices, strategy fsdp");
}

TEST_CASE("a metric of a side that this machine cannot run is said in few words", "[report]") {
  ReportInput input = run_text(kTwoStrategies);
  const CellRow& cell = input.cells[1];
  std::erase_if(input.results.comparisons, [&](const ComparisonRow& row) {
    return row.quantity == "peak_bytes" && row.cell_id != cell.id;
  });
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "peak_bytes") {
      row.value = row.lo = row.hi = std::nullopt;
      row.verdict = Verdict::kUnsupported;
    }
  }
  input.index = {};
  input.make_index();

  CHECK(sentence(metric_answers(input), "peak memory") == short_name(input, cell) + " against " +
                                                              short_name(input, input.cells[0]) +
                                                              ": unsupported");
}

TEST_CASE("a metric without spread lacks no interval", "[report]") {
  ReportInput input = test::read_sample();
  ComparisonRow row = input.results.comparisons.front();
  row.quantity = "peak_bytes";
  row.lo = row.hi = std::nullopt;
  row.status = RowStatus::kZeroVariance;
  row.verdict = Verdict::kBetter;
  input.results.comparisons.push_back(row);
  const auto state = [&] {
    const auto results = lint(input);
    return std::ranges::find(results, "intervals", &LintResult::rule)->state;
  };
  const LintState kept = state();

  input.results.comparisons.back().verdict = Verdict::kNotEnoughData;  // as of times
  CHECK(kept == LintState::kKept);
  CHECK(state() == LintState::kBroken);
}
