// The order of trials.
#include <set>

#include "harness/study/matrix/matrix.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

Study study_in_order(const std::string& order) {
  return test::study_of(std::string(test::kHead) +
                        "axes: {devices: [1, 2], batch_global: [32, 64, 128]}\n"
                        "trials: {count: 3}\norder: " +
                        order + "\n");
}

std::vector<std::size_t> cells_of(const std::vector<ScheduledTrial>& trials) {
  std::vector<std::size_t> cells;
  for (const ScheduledTrial& trial : trials) {
    cells.push_back(trial.cell);
  }
  return cells;
}

TEST_CASE("the order of six cells with seed 42 is the same on every machine", "[study]") {
  const Study study = study_in_order("{design: blocks, seed: 42}");

  const auto trials = schedule(study, expand(study));

  // SplitMix64, Lemire's bounded integers and Fisher-Yates written again in Python 3.11 and run.
  CHECK(cells_of(trials) ==
        std::vector<std::size_t>{2, 5, 3, 1, 0, 4, 0, 2, 4, 3, 1, 5, 0, 3, 5, 4, 2, 1});
}

TEST_CASE("each block holds every cell once, and positions count up", "[study]") {
  const Study study = study_in_order("{design: blocks, seed: 1}");

  const auto trials = schedule(study, expand(study));

  std::set<std::pair<int, std::size_t>> seen;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    CHECK(trials[i].position == static_cast<int>(i));
    CHECK(trials[i].block == static_cast<int>(i / 6));
    seen.insert({trials[i].block, trials[i].cell});
  }
  CHECK(seen.size() == 18);
}

TEST_CASE("batch order runs all trials of a cell in a row", "[study]") {
  const Study study = study_in_order("{design: batch, seed: 42}");

  const auto trials = schedule(study, expand(study));

  // The first block of the golden order above, each cell three times.
  CHECK(cells_of(trials) ==
        std::vector<std::size_t>{2, 2, 2, 5, 5, 5, 3, 3, 3, 1, 1, 1, 0, 0, 0, 4, 4, 4});
  CHECK(trials[4].block == 1);
}

TEST_CASE("another seed gives another order, more trials go on with the same one", "[study]") {
  Study study = study_in_order("{seed: 42}");
  const Matrix matrix = expand(study);
  const auto before = cells_of(schedule(study, matrix));

  study.trials.count = 5;
  auto longer = cells_of(schedule(study, matrix));
  longer.resize(before.size());
  study.order.seed = 43;
  auto other = cells_of(schedule(study, matrix));
  other.resize(before.size());

  CHECK(longer == before);
  CHECK(other != before);
}

}  // namespace
