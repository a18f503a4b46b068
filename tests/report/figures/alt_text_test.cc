// What the texts of figures say to readers who cannot see them.
#include "harness/report/figures/alt_text.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "harness/report/figures/figures.h"
#include "harness/report/figures/learning_figures.h"
#include "harness/report/figures/trial_figures.h"
#include "harness/report/input/groups.h"
#include "tests/report/figures/drawn_figures.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using test::alt_of;

TEST_CASE("the text of a figure of speedups is about speedups, whatever metrics are called",
          "[report]") {
  ReportInput input = test::read_sample();
  input.declared.analysis.metrics = {{.metric = "loss against noise"}};
  ComparisonRow row = input.results.comparisons.front();
  row.quantity = "loss against noise";
  row.value = 17.0;
  input.results.comparisons.push_back(row);
  input.make_index();
  const std::string of_two = "Speedup of 2 devices and 4 devices against global batch, with ";

  CHECK(alt_of(input, "speedup") ==
        of_two + "intervals and the line of no gain: break-even near global batch 81.2");
  input.results.thresholds.clear();
  CHECK(alt_of(input, "speedup") == of_two + "intervals and the line of no gain: 0.875 to 3.11");
  for (ComparisonRow& one : input.results.comparisons) {
    one.lo.reset();
    one.hi.reset();
  }
  CHECK(alt_of(input, "speedup") == of_two + "the line of no gain: 0.875 to 3.11");
}

TEST_CASE("a figure's text says what is found, and no name ends it early", "[report]") {
  ReportInput input = test::read_sample();
  const Group group = group_cells(input).front();

  CHECK(alt_of(input, "throughput") ==
        "Throughput against devices, with intervals and the line of ideal scaling: highest 30,480 "
        "(29,560, 31,390) samples/s, 4 devices, batch 1024");
  for (const EstimateRow& row : std::vector<EstimateRow>(input.results.estimates)) {
    if (row.metric == "throughput") {
      input.results.estimates.push_back(row);
      EstimateRow& tokens = input.results.estimates.back();
      tokens.metric = "tokens_per_second";
      tokens.unit = "tokens/s";
      for (std::optional<double>* value : {&tokens.value, &tokens.lo, &tokens.hi}) {
        *value = 100.0 * **value;
      }
    }
  }
  input.make_index();
  const auto plans = plan_figures(input);
  const auto rates = std::ranges::find(plans, "throughput", &FigurePlan::kind);
  REQUIRE(rates != plans.end());  // the first one stands beside the answer, whose table has tokens
  CHECK_THAT(rates->alt, Catch::Matchers::StartsWith("Tokens against devices"));
  CHECK_THAT(rates->definitions,
             Catch::Matchers::Contains("\ny_label = 'throughput (tokens/s)'\n"));
  CHECK(alt_of(input, "tokens-per-second") ==
        "Tokens against devices, with intervals and the line of ideal scaling: highest 3,048,000 "
        "(2,956,000, 3,139,000) tokens/s, 4 devices, batch 1024");
  CHECK_THAT(breakdown_text(input, group),
             Catch::Matchers::Contains("1 device, batch 1024, backward is the largest"));
  CHECK_THAT(trials_text(input, group), Catch::Matchers::Contains("1 marked as an outlier;"));

  CHECK_THAT(alt_of(input, "trials"), Catch::Matchers::EndsWith("; no drift is warned of"));
  input.results.threats.push_back({ThreatKind::kDrift, Severity::kWarning, "It drifts."});
  CHECK_THAT(alt_of(input, "trials"), Catch::Matchers::EndsWith("outlier; drift is warned of"));
}

TEST_CASE("a figure's text promises no intervals where there are none", "[report]") {
  ReportInput input = test::read_sample();
  const auto drop_intervals = [](auto& rows) {
    for (auto& row : rows) {
      row.lo.reset();
      row.hi.reset();
    }
  };
  EstimateRow accuracy = *input.estimate(input.cells.front().id, "step_time_s");
  accuracy.metric = "epoch_accuracy:1";
  input.results.estimates.push_back(accuracy);
  drop_intervals(input.results.estimates);
  drop_intervals(input.results.comparisons);
  input.make_index();
  const Group group = group_cells(input).front();

  CHECK_THAT(alt_of(input, "throughput"),
             Catch::Matchers::StartsWith("Throughput against devices, with the line of ideal "
                                         "scaling: highest 30,480 samples/s"));
  CHECK_THAT(learning_text(input, group, learned_values().front()),
             Catch::Matchers::StartsWith("Accuracy on held-out samples after each epoch; at the "));
}
