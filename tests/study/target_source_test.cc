// Targets that ask for a share of a value from elsewhere.
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

std::string target_text(const std::string& target) {
  return std::string(test::kHead) +
         "axes: {devices: [1, 2], batch_global: [64]}\n"
         "analysis: {baseline: {devices: 1}, targets: [{name: wish, " +
         target + "}]}\n";
}

Target target_of(const std::string& target) {
  return test::study_of(target_text(target)).analysis.targets.at(0);
}

TEST_CASE("a target is a share of a published figure, or of another study", "[study]") {
  const Target published =
      target_of("metric: throughput, at_least: 95 % of published:paper/table_2/throughput/3");
  CHECK(published.at_least == 0.95);
  REQUIRE(published.source.has_value());
  CHECK(published.source->kind == ReferenceKind::kPublished);
  CHECK(published.source->name == "paper/table_2/throughput/3");

  const Target study = target_of("metric: step_time_s, at_most: \"105% of study:before\"");
  CHECK(study.at_most == Approx(1.05));
  CHECK(study.source->kind == ReferenceKind::kStudy);
  CHECK(study.source->name == "before");

  CHECK(target_of("metric: speedup, at_least: 95 % of published:paper").at_least == 0.95);
  CHECK_FALSE(target_of("metric: speedup, at_least: 1.5").source.has_value());
}

TEST_CASE("a share of nothing that is known is refused where it is written", "[study]") {
  const auto problems = [](const std::string& bound, const std::string& metric = "throughput") {
    return test::problems_of(target_text("metric: " + metric + ", at_least: " + bound));
  };
  for (const char* bad : {"95 of published:paper",
                          "0 % of published:paper",
                          "95 % of paper",
                          "95 % of the paper",
                          "95 % of published",
                          "\"95 % of published:\""}) {
    CHECK_THAT(problems(bad),
               Contains("; write \"95 % of published:DATASET\" or \"95 % of study:NAME\""));
  }
  CHECK_THAT(problems("95 of published:paper"), StartsWith("s.yaml:5:89: "));
  CHECK_THAT(problems("95 % of study:Before"),
             Contains("\"Before\" cannot be the name of a study"));
  CHECK_THAT(problems("95 % of study:example"), Contains("names this study itself"));
  CHECK_THAT(problems("95 % of study:before", "speedup"),
             Contains("speedup compares cells within a study"));
}

TEST_CASE("where a target takes its value from is part of the study", "[study]") {
  const Study before = test::study_of(target_text("metric: throughput, at_least: 0.95"));
  const Study after =
      test::study_of(target_text("metric: throughput, at_least: 95 % of published:paper"));

  CHECK(study_hash(before) != study_hash(after));
  CHECK(study_difference(before, after).size() == 1);
}

}  // namespace
