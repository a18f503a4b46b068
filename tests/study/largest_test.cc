// search.largest of a study file.
#include "harness/study/declared/search.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;

namespace {

std::string largest_text(const std::string& search, const std::string& more = "") {
  return std::string(test::kHead) +
         "parameters: {model: mlp-258k}\naxes: {devices: [1, 2], batch_per_device: [8, 16]}\n"
         "search: " +
         search + "\n" + more;
}

}  // namespace

TEST_CASE("a search for the largest batch begins at the values of its axis", "[study]") {
  const Study study =
      test::study_of(largest_text("{largest: batch_per_device, up_to: 512, grid: 4}"));

  REQUIRE(study.largest);
  CHECK(!study.search);
  CHECK(study.largest->axis == "batch_per_device");
  CHECK(study.largest->up_to == 512);
  CHECK(study.largest->grid == 4);
  CHECK(format_value(study.analysis.baseline.at("batch_per_device")) == "8");
  CHECK(study_hash(study) != study_hash(test::study_of(largest_text(
                                 "{largest: batch_per_device, up_to: 256, grid: 4}"))));
}

TEST_CASE("what a search for the largest batch cannot be is said", "[study]") {
  const auto problems = [](const std::string& search, const std::string& more = "") {
    return test::problems_of(largest_text(search, more));
  };
  CHECK_THAT(problems("{largest: batch_per_device}"), Contains("search.up_to is missing"));
  CHECK_THAT(problems("{largest: batch_per_device, up_to: 12}"),
             Contains("search.up_to is below a value of axes.batch_per_device"));
  CHECK(problems("{largest: batch_per_device, up_to: 16}").empty());
  CHECK_THAT(problems("{largest: devices, up_to: 4}"), Contains("batch_per_device"));
  CHECK_THAT(problems("{largest: batch_global, up_to: 64}"),
             Contains("which is not a list under axes"));
  CHECK_THAT(problems("{largest: batch_per_device, up_to: 64, budget: 1h}"),
             Contains("cannot be combined with search.largest"));
  CHECK_THAT(problems("{over: [devices, batch_per_device], budget: 1h, up_to: 64}"),
             Contains("goes only with search.largest"));
  CHECK_THAT(
      problems("{largest: batch_per_device, up_to: 64}", "analysis: {baseline: {devices: 1}}\n"),
      Contains("name batch_per_device in analysis.baseline"));
  CHECK_THAT(
      problems("{largest: batch_per_device, up_to: 64}", "trials: {min: 3, max: 9, until: 5%}\n"),
      Contains("needs a number of trials"));
}
