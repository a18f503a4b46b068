// Two settings of which a threshold finds where the faster changes.
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

// - analysis: what stands in the section, from line 5 on.
std::string between_text(const std::string& analysis) {
  return std::string(test::kHead) +
         "axes: {devices: [2, 4, 8], env.ALGORITHM: [Ring, Tree, NVLS], batch_global: [64, 128]}\n"
         "analysis: {" +
         analysis + "}\n";
}

std::string threshold_text(const std::string& threshold) {
  return between_text("thresholds: [{" + threshold + "}]");
}

TEST_CASE("of two settings the first becomes the baseline, by the speedup", "[study]") {
  const Study study =
      test::study_of(threshold_text("between: {env.ALGORITHM: [Ring, Tree]}, along: devices"));

  const ThresholdRequest& request = study.analysis.thresholds.at(0);
  CHECK(request.metric == "speedup");
  CHECK(request.level == 1.0);
  CHECK(request.along == "devices");
  REQUIRE(request.between.has_value());
  CHECK(request.between->name == "env.ALGORITHM");
  CHECK(format_value(request.between->base) == "Ring");
  CHECK(format_value(request.between->other) == "Tree");
  CHECK(study.analysis.baseline == Parameters{{"env.ALGORITHM", Value(std::string("Ring"))}});
  const Matrix matrix = expand(study);
  CHECK(test::cell_of(matrix, "devices=8 env.ALGORITHM=Tree batch_global=64").baseline ==
        test::cell_of(matrix, "devices=8 env.ALGORITHM=Ring batch_global=64").hash);
}

TEST_CASE("two settings take any numeric axis, a metric of the study and a declared baseline",
          "[study]") {
  const std::string pair = "between: {env.ALGORITHM: [Ring, Tree]}, ";
  CHECK(test::problems_of(threshold_text(pair + "along: batch_global")).empty());
  CHECK(test::problems_of(
            between_text("metrics: [{metric: loss, better: lower}], baseline: {env.ALGORITHM: "
                         "Ring}, thresholds: [{" +
                         pair + "metric: loss, level: 1.0, along: devices}]"))
            .empty());
  CHECK(test::problems_of(between_text("thresholds: [{" + pair +
                                       "along: devices}, {between: {env.ALGORITHM: [Ring, NVLS]}, "
                                       "along: batch_global}]"))
            .empty());
  // A target on the speedup has the same baseline.
  CHECK(test::problems_of(between_text("thresholds: [{" + pair +
                                       "along: devices}], targets: [{name: t, metric: speedup, "
                                       "at_least: 1.1}]"))
            .empty());
}

TEST_CASE("two settings that cannot be compared so are refused where they are written", "[study]") {
  const auto problems = [](const std::string& between, const std::string& more) {
    return test::problems_of(threshold_text("between: " + between + ", along: devices" + more));
  };
  CHECK_THAT(problems("{env.ALGORITHM: [Ring]}", ""),
             StartsWith("s.yaml:5:35: analysis.thresholds[0].between must be one axis with "
                        "two of its values"));
  CHECK_THAT(problems("{env.ALGORITHM: [Ring, CollnetChain]}", ""),
             Contains("the axis env.ALGORITHM has no value CollnetChain; it has Ring, Tree, NVLS"));
  CHECK_THAT(problems("{env.ALGORITHM: [Ring, Ring]}", ""), Contains("names the same value twice"));
  CHECK_THAT(problems("{bucket_mb: [1, 2]}", ""), Contains("bucket_mb is not under axes"));
  CHECK_THAT(problems("{devices: [2, 4]}", ""), Contains("the axis of the two settings"));
  CHECK_THAT(problems("{env.ALGORITHM: [Ring, Tree]}", ", level: 1.1"),
             Contains("both settings are equal; leave level out"));
  CHECK_THAT(problems("{env.ALGORITHM: [Ring, Tree]}", ", metric: efficiency"),
             Contains("efficiency compares numbers of devices"));
  CHECK_THAT(test::problems_of(between_text(
                 "baseline: {devices: 2}, thresholds: [{between: {env.ALGORITHM: [Ring, Tree]}, "
                 "along: batch_global}]")),
             Contains("compares with env.ALGORITHM=Ring, but the study's baseline is devices=2, "
                      "and it has only one"));
  CHECK_THAT(test::problems_of(threshold_text("along: devices")), Contains("metric is missing"));
}

}  // namespace
