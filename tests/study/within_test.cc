// analysis.within, and levels of thresholds in the unit of their metric.
#include "harness/study/declared/analysis_options.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;

namespace {

std::string limited_text(const std::string& analysis, const std::string& more = "") {
  return std::string(test::kHead) +
         "parameters: {model: mlp-258k, devices: 2, batch_per_device: 8}\n"
         "axes: {strategy: [ddp, fsdp], bucket_mb: [1, 2, 4]}\n"
         "analysis: {baseline: {strategy: ddp}, metrics: [{metric: peak_bytes, better: lower}, "
         "{metric: accuracy, better: higher}], " +
         analysis + "}\n" + more;
}

const std::string kCost =
    "cost: {per_device_hour: 2, currency: USD, source: a, date: 2026-01-01, train: {samples: "
    "1000000}}\n";

}  // namespace

TEST_CASE("limits are read in the unit of their metric", "[study]") {
  const Study study = test::study_of(limited_text(
      "within: {peak_bytes: 40GB, training_hours: 3d, accuracy: 0.9, step_time_s: 5ms, "
      "efficiency: 80%}",
      kCost));
  const std::vector<Limit>& within = study.analysis.within;

  REQUIRE(within.size() == 5);
  CHECK(within[0].metric == "peak_bytes");
  CHECK(within[0].level == 40e9);
  CHECK(!within[0].is_least);
  CHECK(within[1].level == 72.0);
  CHECK(within[2].level == 0.9);
  CHECK(within[2].is_least);
  CHECK(within[3].level == 0.005);
  CHECK(within[4].level == 0.8);
  CHECK(within[4].is_least);
  CHECK(test::study_of(limited_text("within: {training_hours: 72}", kCost))
            .analysis.within[0]
            .level == 72.0);
}

TEST_CASE("a limit that the study cannot hold cells to is refused", "[study]") {
  const auto problems = [](const std::string& within, const std::string& more = "") {
    return test::problems_of(limited_text("within: " + within, more));
  };
  CHECK_THAT(problems("{peak_bytes: 40}"), Contains("analysis.within.peak_bytes"));
  CHECK_THAT(problems("{peak_bytes: 40s}"), Contains("analysis.within.peak_bytes"));
  CHECK_THAT(problems("{training_hours: 72}"), Contains("training_hours needs prices; add cost"));
  CHECK_THAT(problems("{peek_bytes: 40GB}"),
             Contains("peek_bytes") && Contains("did you mean \"peak_bytes\""));
}

TEST_CASE("a threshold says whether its level is a ratio", "[study]") {
  const auto read = [](const std::string& threshold) {
    return test::study_of(limited_text("thresholds: [" + threshold + "]"))
        .analysis.thresholds.at(0);
  };
  const ThresholdRequest absolute =
      read("{metric: peak_bytes, level: 250 MB, relative: false, along: bucket_mb}");
  CHECK(!absolute.is_relative);
  CHECK(absolute.level == 250e6);
  CHECK(read("{metric: peak_bytes, level: 1.2, along: bucket_mb}").is_relative);
  CHECK(read("{metric: throughput, level: 900, relative: false, along: bucket_mb}").level == 900.0);
  CHECK(read("{metric: efficiency, level: 80%, along: bucket_mb}").level == 0.8);
  CHECK(read("{metric: efficiency, level: 0.8, along: bucket_mb}").level == 0.8);

  const auto problems = [](const std::string& threshold) {
    return test::problems_of(limited_text("thresholds: [" + threshold + "]"));
  };
  CHECK_THAT(problems("{metric: peak_bytes, level: 250 MB, along: bucket_mb}"),
             Contains("the ratio to the baseline") && Contains("add relative: false"));
  CHECK_THAT(problems("{metric: time, level: 250 ms, along: bucket_mb}"),
             Contains("for a level of the metric itself add relative: false"));
  CHECK_THAT(problems("{metric: efficiency, level: 80, along: bucket_mb}"),
             Contains("level is 80, that is 8000 %; write 80% or 0.8"));
  CHECK_THAT(problems("{metric: efficiency, level: 0%, along: bucket_mb}"),
             Contains("level must be above 0"));
  CHECK_THAT(problems("{metric: speedup, level: 1.2, relative: false, along: bucket_mb}"),
             Contains("metric"));
  CHECK_THAT(problems("{metric: peak_bytes, relative: false, along: bucket_mb}"),
             Contains("level is missing"));
  CHECK_THAT(problems("{metric: peak_bytes, level: 5ms, relative: false, along: bucket_mb}"),
             Contains("analysis.thresholds[0].level"));
  CHECK_THAT(problems("{metric: peak_bytes, level: 1GB, relative: false, along: bucket_mb, "
                      "refine: {to: 5%}}"),
             Contains("refine"));
}

TEST_CASE("an absolute threshold needs no baseline, and targets take units", "[study]") {
  const std::string head = std::string(test::kHead) +
                           "parameters: {model: mlp-258k, devices: 2, batch_per_device: 8}\n"
                           "axes: {bucket_mb: [1, 2, 4]}\n";
  CHECK(test::problems_of(head + "analysis: {metrics: [{metric: peak_bytes, better: lower}], "
                                 "thresholds: [{metric: peak_bytes, level: 1GB, relative: false, "
                                 "along: bucket_mb}]}\n")
            .empty());
  const Study study = test::study_of(
      head +
      "analysis: {metrics: [{metric: peak_bytes, better: lower}], targets: [{name: small, "
      "metric: peak_bytes, at_most: 250 MB}]}\n");
  CHECK(study.analysis.targets.at(0).at_most == 250e6);
}

TEST_CASE("a program's metric may repeat the unit of its rule", "[study]") {
  const auto text = [](const std::string& limit) {
    return "version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{x}\"]\naxes: {x: [1, 2]}\n"
           "extract: [{metric: power, unit: W, regex: 'p (\\d+)'}, {metric: step_time_s, from: "
           "wall_time}]\nanalysis: {metrics: [{metric: power, better: lower}], within: {power: " +
           limit + "}}\n";
  };
  CHECK(test::study_of(text("250 W")).analysis.within.at(0).level == 250.0);
  CHECK(test::study_of(text("250")).analysis.within.at(0).level == 250.0);
  CHECK_THAT(test::problems_of(text("250 kJ")), Contains("power is in W"));
}

TEST_CASE("an amount in the unit of a rule becomes one in the unit that is stored", "[study]") {
  const auto text = [](const std::string& metric, const char* unit, const std::string& limit) {
    return "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
           "extract: [{metric: step_time_s, from: wall_time}, {metric: " +
           metric + ", unit: " + unit +
           ", regex: '(.*)'}]\nanalysis: {metrics: [{metric: " + metric +
           ", better: lower}], targets: [{name: t, metric: " + metric + ", at_most: " + limit +
           "}], within: {" + metric + ": " + limit + "}}\n";
  };
  const auto level = [&](const std::string& metric, const char* unit, const std::string& limit) {
    const AnalysisOptions analysis = test::study_of(text(metric, unit, limit)).analysis;
    CHECK(analysis.within.at(0).level == analysis.targets.at(0).at_most);
    return analysis.within.at(0).level;
  };
  CHECK(level("latency_s", "ms", "5 ms") == 5.0 * 1e-3);
  CHECK(level("latency_s", "ms", "0.25s") == 0.25);
  CHECK(level("latency_s", "ms", "2 min") == 120.0);
  CHECK(level("latency_s", "ns", "500 ns") == 500.0 * 1e-9);
  CHECK(level("board_w", "kW", "2 kW") == 2000.0);
  CHECK(level("board_w", "kW", "300 W") == 300.0);
  CHECK(level("board_w", "kW", "300") == 300.0);
  CHECK_THAT(test::problems_of(text("latency_s", "ms", "5 W")), Contains("not a unit of duration"));
}

TEST_CASE("a text has the hash that a version had which took 5 ms for 5 s, too", "[study]") {
  const auto study = [](const std::string& limit) {
    return test::study_of(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
        "extract: [{metric: step_time_s, from: wall_time}, {metric: latency_s, unit: ms, regex: "
        "'(.*)'}]\nanalysis: {metrics: [{metric: latency_s, better: lower}], within: {latency_s: " +
        limit + "}}\n");
  };
  CHECK(has_hash(study("5 ms"), study_hash(study("5"))));
  CHECK(has_hash(study("5 ms"), study_hash(study("0.005"))));
  CHECK_FALSE(has_hash(study("5 ms"), study_hash(study("6"))));
  CHECK_FALSE(has_hash(study("5"), study_hash(study("0.005"))));
}

TEST_CASE("an accuracy of train is a share", "[study]") {
  CHECK(test::study_of(limited_text("within: {accuracy: 90%}")).analysis.within.at(0).level == 0.9);
  CHECK_THAT(test::problems_of(limited_text("within: {accuracy: 90}")),
             Contains("accuracy is 90, that is 9000 %; write 90% or 0.9"));
}
