// analysis.decide: which axes a study chooses, and which are conditions.
#include "harness/study/parameters/choices.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;

namespace {

std::string text_of(const std::string& analysis, const std::string& more = "") {
  return std::string(test::kHead) +
         "parameters: {model: mlp-258k, devices: 2, batch_per_device: 8}\n"
         "axes: {strategy: [ddp, fsdp], straggler_ms: [0, 5], interconnect.bandwidth: [none, "
         "1Gbit]}\n" +
         more + "analysis: {baseline: {strategy: ddp}" + analysis + "}\n";
}

}  // namespace

TEST_CASE("failures, slow ranks, links and inputs are no choices", "[study]") {
  const Study study = test::study_of(text_of(""));

  for (const char* name : {"strategy",
                           "devices",
                           "nodes",
                           "batch_global",
                           "model",
                           "checkpoint_every",
                           "data_prefetch",
                           "side"}) {
    CHECK(is_choice(study, name));
  }
  for (const char* name : {"failure",
                           "straggler_ms",
                           "straggler_rank",
                           "interconnect.bandwidth",
                           "interconnect.delay",
                           "data",
                           "data_cache",
                           "decode_us",
                           "seed"}) {
    CHECK(!is_choice(study, name));
  }
}

TEST_CASE("a program's own axes are all choices until the study says which", "[study]") {
  Study study;
  study.workload = Workload::kCommand;
  CHECK(is_choice(study, "failure"));

  study.analysis.decide = {"level"};
  CHECK(is_choice(study, "level"));
  CHECK(!is_choice(study, "failure"));
  CHECK(is_choice(study, "side"));
  study.zip = {{{"level", Value(1)}, {"window", Value(2)}}};
  CHECK(is_choice(study, "window"));  // moves with what is chosen
}

TEST_CASE("decide names axes of the study", "[study]") {
  const Study study = test::study_of(text_of(", decide: [straggler_ms]"));
  CHECK(is_choice(study, "straggler_ms"));
  CHECK(!is_choice(study, "strategy"));

  CHECK_THAT(
      test::problems_of(text_of(", decide: [strategie]")),
      Contains(": analysis.decide is \"strategie\"") && Contains("did you mean \"strategy\""));
  CHECK_THAT(test::problems_of(text_of(", decide: [strategy, strategy]")),
             Contains("analysis.decide has strategy twice"));
}

TEST_CASE("a search decides on its own axes", "[study]") {
  const std::string text = std::string(test::kHead) +
                           "parameters: {model: mlp-258k, devices: 2, batch_per_device: 8}\n"
                           "axes: {bucket_mb: [25, 4], overlap: [none, poll]}\n"
                           "search: {over: [bucket_mb, overlap], budget: 1h}\n"
                           "analysis: {decide: [overlap]}\n";
  CHECK_THAT(test::problems_of(text), Contains("analysis.decide cannot be combined with search"));
}
