// What a search for a break-even needs of its study.
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using Catch::Matchers::Contains;

// The study with that search, and what else is given.
std::string refine_text(const std::string& refine,
                        const std::string& batches = "[8, 16, 32, 64, 128]",
                        const std::string& trials = "{count: 8}",
                        const std::string& along = "batch_global",
                        const std::string& baseline = "{devices: 1}") {
  return std::string(test::kHead) + "axes: {devices: [1, 2], batch_global: " + batches +
         "}\ntrials: " + trials + "\nanalysis:\n  baseline: " + baseline +
         "\n  thresholds: [{metric: speedup, along: " + along + ", refine: " + refine + "}]\n";
}

TEST_CASE("a search has a width, eight cells and every integer by default", "[study]") {
  const Study study = test::study_of(refine_text("{to: 4%}"));

  const RefineRequest refine = study.analysis.thresholds.at(0).refine.value();
  CHECK(refine.to == 0.04);
  CHECK(refine.max_cells == 8);
  CHECK(refine.grid == 1);
  CHECK(test::study_of(refine_text("{to: 4%, max_cells: 4, grid: 8}"))
            .analysis.thresholds.at(0)
            .refine->grid == 8);
  CHECK(test::problems_of(refine_text("{to: 4%}", "[64, 8, 16, 128, 32]")).empty());
}

TEST_CASE("a search that could not hold what it says is refused, with what it needs", "[study]") {
  CHECK_THAT(test::problems_of(refine_text("{max_cells: 4}")),
             Contains("analysis.thresholds[0].refine.to is missing"));
  CHECK_THAT(test::problems_of(refine_text("{to: 100%}")), Contains("above 0% and below 100%"));
  CHECK_THAT(test::problems_of(refine_text("{to: 4%}", "[8, 16, 32, 64]")),
             Contains("has 4 values; a width rests on five or more"));
  CHECK_THAT(test::problems_of(refine_text("{to: 4%}", "[8, 16, 40, 64, 128]")),
             Contains("more than a factor of 2 apart"));
  CHECK_THAT(test::problems_of(refine_text("{to: 4%}", "[8, 16, 32, 64, 128]", "{count: 7}")),
             Contains("needs 8 trials of each cell or more, trials has 7"));
  CHECK_THAT(test::problems_of(
                 refine_text("{to: 4%}", "[8, 16, 32, 64, 128]", "{min: 5, max: 20, until: 2%}")),
             Contains("trials has 5"));
  CHECK_THAT(test::problems_of(refine_text(
                 "{to: 4%}", "[8, 16, 32, 64, 128]", "{min: 8, max: 20, for: verdicts}")),
             Contains("ends cells by what they say of the level"));
  CHECK_THAT(
      test::problems_of(refine_text("{to: 4%}", "[8, 16, 32, 64, 128]", "{count: 8}", "devices")),
      Contains("is a count"));
  CHECK_THAT(test::problems_of(refine_text("{to: 4%}",
                                           "[8, 16, 32, 64, 128]",
                                           "{count: 8}",
                                           "batch_global",
                                           "{devices: 1, batch_global: 8}")),
             Contains("each tested value needs a base of its own"));
}

}  // namespace
