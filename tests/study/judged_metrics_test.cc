// Metrics that targets, thresholds and limits may be about, and shares as their levels.
#include <string>
#include <utility>
#include <vector>

#include "harness/study/declared/analysis_options.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;

namespace {

// A command with a rule for the metric, and what its section analysis has.
std::string command_text(const std::string& metric,
                         const std::string& unit,
                         const std::string& analysis) {
  return "version: 1\nstudy: s\nworkload: command\ncommand: [a, '{x}']\naxes: {x: [1, 2, 4]}\n"
         "extract: [{metric: step_time_s, unit: s, json_path: a}, {metric: " +
         metric + ", unit: '" + unit + "', json_path: b}]\nanalysis: {" + analysis + "}\n";
}

std::string share_text(const std::string& metric,
                       const std::string& unit,
                       const std::string& threshold) {
  return command_text(metric,
                      unit,
                      "baseline: {x: 1}, metrics: [{metric: " + metric +
                          ", better: higher}], thresholds: [{metric: " + metric + ", along: x, " +
                          threshold + "}]");
}

double level_of(const std::string& text) {
  return test::study_of(text).analysis.thresholds.at(0).level;
}

}  // namespace

TEST_CASE("a target may be about a utilization that trials have", "[study]") {
  const std::string target =
      "targets: [{name: t, metric: model_flop_utilization, at_least: 40%}], "
      "within: {model_flop_utilization: 30%}, thresholds: [{metric: model_flop_utilization, "
      "relative: false, level: 35%, along: x}]";
  const AnalysisOptions analysis =
      test::study_of(command_text("model_flop_utilization", "%", target)).analysis;
  CHECK(analysis.targets.at(0).at_least == 0.4);
  CHECK(analysis.within.at(0).level == 0.3);
  CHECK(analysis.within.at(0).is_least);
  CHECK(analysis.thresholds.at(0).level == 0.35);

  CHECK_THAT(
      test::problems_of(command_text("mfu", "%", target)),
      Contains("s.yaml:7:40: analysis.targets[0].metric: model_flop_utilization is given by no "
               "extract rule; add one") &&
          Contains("analysis.thresholds[0].metric: model_flop_utilization is given by no extract "
                   "rule") &&
          Contains("analysis.within: model_flop_utilization is given by no extract rule"));
  const auto problems = [](const std::string& workload, const std::string& cells) {
    return test::problems_of(
        "version: 1\nstudy: s\nworkload: " + workload + "\n" + cells +
        "analysis: {targets: [{name: t, metric: model_flop_utilization, at_least: 40%}]}\n");
  };
  const std::string cells = "axes: {devices: [1, 2], batch_global: [64]}\n";
  CHECK_THAT(problems("train", cells),
             Contains("model_flop_utilization is relative to the peak of a device; add it to "
                      "parameters: device_peak_flops"));
  CHECK(problems("train", "parameters: {device_peak_flops: 1e12}\n" + cells).empty());
  CHECK_THAT(problems("collective", "axes: {devices: [2], message_bytes: [64]}\n"),
             Contains("model_flop_utilization is one of models, and a collective has none"));
}

TEST_CASE("a metric that analysis.metrics lacks is refused with what to write there", "[study]") {
  const auto problems = [](const std::string& metric) {
    return test::problems_of(command_text("gpu_busy_share",
                                          "%",
                                          "targets: [{name: t, metric: " + metric +
                                              ", at_least: 90%}], within: {" + metric +
                                              ": 90%}, thresholds: [{metric: " + metric +
                                              ", relative: false, level: 90%, along: x}]"));
  };
  const std::string cure =
      ": gpu_busy_share is not in analysis.metrics; add it there: metrics: [{metric: "
      "gpu_busy_share, better: higher}], or better: lower\n";
  CHECK_THAT(problems("gpu_busy_share"),
             Contains("s.yaml:7:40: analysis.targets[0].metric" + cure) &&
                 Contains("analysis.thresholds[0].metric" + cure) &&
                 Contains("analysis.within" + cure));
  // A slip is a slip.
  CHECK_THAT(test::problems_of("version: 1\nstudy: s\nworkload: command\ncommand: [a]\nanalysis: "
                               "{targets: [{name: t, metric: throughputs, at_least: 9}]}\n"),
             Contains("did you mean \"throughput\"") && !Contains("add it there"));
  CHECK_THAT(
      test::problems_of(
          command_text("accuracy", "1", "metrics: [{metric: acuracy, better: higher}]")),
      Contains("acuracy is given by no extract rule") && Contains("did you mean \"accuracy\""));
  CHECK_THAT(problems("no_such_metric"),
             Contains("analysis.targets[0].metric is \"no_such_metric\"; allowed: step_time_s") &&
                 !Contains("add it there"));
}

TEST_CASE("a metric that analysis makes of others is asked for by a command alone", "[study]") {
  const std::string asked = "metrics: [{metric: loss_final, better: lower}]";
  CHECK_THAT(test::problems_of(test::kSmall + "analysis: {" + asked + "}\n"),
             Contains("s.yaml:5:31: analysis.metrics[0].metric: loss_final is made of other "
                      "metrics, and no trial has it; name one that trials have, such as loss\n"));
  CHECK(test::problems_of(command_text("loss_final", "1", asked)).empty());
}

TEST_CASE("a percentage as a level is one of the metric, and no ratio to the baseline", "[study]") {
  for (const char* metric : {"gpu_busy_share", "hit_share", "hit_rate"}) {
    CAPTURE(metric);
    CHECK(level_of(share_text(metric, "1", "relative: false, level: 85%")) == 0.85);
    CHECK_THAT(test::problems_of(share_text(metric, "1", "level: 85%")),
               Contains("analysis.thresholds[0].level is 85%, but the threshold is on the ratio to "
                        "the baseline; for a level of " +
                        std::string(metric) + " itself add relative: false"));
  }
  CHECK(level_of(share_text("hit_rate", "percent", "relative: false, level: 85%")) == 85.0);
  CHECK(level_of(share_text("hit_rate", "%", "relative: false, level: 85%")) == 85.0);
  CHECK_THAT(test::problems_of(share_text("hit_share", "1", "relative: false, level: 85")),
             Contains("level is 85, that is 8500 %; write 85% or 0.85"));
}

TEST_CASE("a number alone is no limit of a metric that is printed in percent", "[study]") {
  const auto text = [](const std::string& amount) {
    return command_text(
        "acc",
        "%",
        "metrics: [{metric: acc, better: higher}], targets: [{name: t, metric: acc, at_least: " +
            amount + "}], within: {acc: " + amount +
            "}, thresholds: [{metric: acc, relative: false, along: x, level: " + amount + "}]");
  };
  const std::string told =
      " is 0.95, of a metric whose extract rule reads percent; write 95%, or 0.95%\n";

  CHECK_THAT(test::problems_of(text("0.95")),
             Contains("analysis.targets[0].at_least" + told) &&
                 Contains("analysis.within.acc" + told) &&
                 Contains("analysis.thresholds[0].level" + told));
  CHECK_THAT(test::problems_of(text("95")),
             Contains("analysis.targets[0].at_least is 95, of a metric whose extract rule reads "
                      "percent; write 95%\n"));
  for (const auto& [amount, level] :
       std::vector<std::pair<std::string, double>>{{"95%", 95.0}, {"0.95%", 0.95}, {"0", 0.0}}) {
    CAPTURE(amount);
    const AnalysisOptions analysis = test::study_of(text(amount)).analysis;
    CHECK(analysis.targets.at(0).at_least == level);
    CHECK(analysis.within.at(0).level == level);
    CHECK(analysis.thresholds.at(0).level == level);
  }
  // A stored study says what it said.
  CHECK(parse_stored_study(text("0.95"), "s.yaml").analysis.targets.at(0).at_least == 0.95);
}

TEST_CASE("85 times the share of the baseline is asked for in so many words", "[study]") {
  for (const char* unit : {"1", "%"}) {
    CAPTURE(unit);
    CHECK_THAT(test::problems_of(share_text("hit_share", unit, "level: 85")),
               Contains("analysis.thresholds[0].level is 85, that is 85 times the hit_share of the "
                        "baseline; if so, add relative: true, and for a level of hit_share itself "
                        "write level: 85% and relative: false"));
    CHECK(level_of(share_text("hit_share", unit, "level: 85, relative: true")) == 85.0);
    CHECK(level_of(share_text("hit_share", unit, "level: 1.5")) == 1.5);
  }
  CHECK(level_of(share_text("hits", "1", "level: 85")) == 85.0);
}
