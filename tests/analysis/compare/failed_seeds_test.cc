// Equal accuracy where some seeds do not train.
#include <algorithm>

#include "tests/analysis/compared_cells.h"
#include "tests/stats/simulation/noise.h"

using namespace scalestudy;
using namespace scalestudy::test;

TEST_CASE("a seed fails to train above twice what is good, where lower is better", "[analysis]") {
  Study study = make_study();
  study.analysis.metrics = {{.metric = "accuracy", .is_higher_better = false, .margin = 0.01}};
  const std::vector<double> base = {0.100, 0.101, 0.100, 0.101, 0.100, 0.101, 0.100, 0.101};
  const auto finding_of = [&](double last) {
    std::vector<double> cell = base;
    cell.back() = last;
    return find(compare({learn_cell(make_cell(1, 1, 256), 1, base, "true"),
                         learn_cell(make_cell(2, 4, 256), 1, cell, "true")},
                        study),
                "accuracy",
                2)
        .finding;
  };
  CHECK_THAT(finding_of(0.21), Catch::Contains("failed to train"));
  CHECK_THAT(finding_of(0.19), !Catch::Contains("failed to train"));
}

// One seed in ten ends at half the accuracy: of eight seeds 43 % of studies meet none.
TEST_CASE("no equal accuracy rests on a failed seed, or leaves out how many could fail",
          "[analysis]") {
  Study study = make_study();
  study.analysis.metrics = {{.metric = "accuracy", .is_higher_better = true, .margin = 0.01}};
  Noise noise(20261126);
  const auto learn = [&](double share_failing) {
    std::vector<double> accuracies;
    for (int seed = 0; seed < 8; ++seed) {
      accuracies.push_back((noise.uniform() < share_failing ? 0.45 : 0.9) * noise.factor(0.003));
    }
    return accuracies;
  };
  int equivalent = 0;
  for (int r = 0; r < 200; ++r) {
    const std::vector<double> base = learn(0.0);
    const std::vector<double> cell = learn(0.1);
    const ComparisonRow row = find(compare({learn_cell(make_cell(1, 1, 256), 1, base, "true"),
                                            learn_cell(make_cell(2, 4, 256), 1, cell, "true")},
                                           study),
                                   "accuracy",
                                   2);
    const bool has_failure = std::ranges::min(cell) < 0.6;
    CHECK((row.finding.find("failed to train") != std::string::npos) == has_failure);
    if (row.verdict == Verdict::kEquivalent) {
      ++equivalent;
      CHECK_FALSE(has_failure);
      CHECK_THAT(row.finding, Catch::Contains("up to 31.2 % may still fail"));
    }
  }
  CHECK(equivalent > 60);
}
