// The search for the largest batch that fits, over cells that run out of memory.
#include "harness/analysis/search/largest_fit.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string>

#include "harness/study/matrix/matrix.h"
#include "tests/analysis/by_hand.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

Study study_with(const std::string& search, const std::string& begin = "[8]") {
  return test::study_of(std::string(test::kHead) + "parameters: {model: mlp-258k, devices: 1}\n" +
                        "axes: {batch_per_device: " + begin + "}\ntrials: {count: 5}\n" +
                        "search: {largest: batch_per_device, " + search + "}\n");
}

// Runs what the search asks for. Trial `n` of a batch, from 0, fits if `fits` says so.
class Lab {
 public:
  using Fits = std::function<bool(std::int64_t batch, std::int64_t n)>;
  using End = std::function<void(CellObservation&)>;

  // `fail` notes in the cell how a trial ended that does not fit.
  Lab(
      const Study& study,
      Fits fits,
      End fail = [](CellObservation& cell) { ++cell.failures["oom"]; })
      : study_(study), fits_(std::move(fits)), fail_(std::move(fail)) {
    run({});
  }

  // All rounds; the values that were tried, in order.
  std::vector<std::int64_t> search() {
    std::vector<std::int64_t> values;
    for (std::size_t round = 0; round < 100; ++round) {
      const std::vector<Addition> more = next_fits(observation, study_);
      if (more.empty()) {
        return values;
      }
      for (const Addition& addition : more) {
        if (addition.value) {
          CHECK(addition.blocks == 1);
          values.push_back(*addition.value);
        }
      }
      run(more);
    }
    FAIL("the search does not end");
    return values;
  }

  const CellObservation& at(std::int64_t batch) const {
    const auto found = std::ranges::find_if(observation.cells, [&](const CellObservation& cell) {
      return cell.row.batch_per_device == batch;
    });
    REQUIRE(found != observation.cells.end());
    return *found;
  }

  // NOLINTNEXTLINE(misc-non-private-member-variables-in-classes): tests read it
  StudyObservation observation = test::make_observation({}, Scaling::kWeak);

 private:
  void run(const std::vector<Addition>& more) {
    observation.additions.insert(observation.additions.end(), more.begin(), more.end());
    Study extended = study_;
    extended.additions = observation.additions;
    for (const Cell& cell : expand(extended).cells) {
      auto found = std::ranges::find_if(observation.cells, [&](const CellObservation& known) {
        return known.row.hash == cell.hash;
      });
      if (found == observation.cells.end()) {
        CellRow row = test::make_cell(std::ssize(observation.cells) + 1, 1, *cell.batch_per_device);
        row.hash = cell.hash;
        row.baseline = cell.baseline;
        row.parameters = {{"batch_per_device",
                           std::to_string(*cell.batch_per_device),
                           ValueKind::kInteger,
                           true}};
        observation.cells.push_back(test::observe_cell(row, {}));
        found = observation.cells.end() - 1;
      }
      for (const Blocks& blocks : cell.blocks) {
        for (std::int64_t block = blocks.first; block < blocks.first + blocks.count; ++block) {
          run_trial(*cell.batch_per_device, block, *found);
        }
      }
    }
  }

  void run_trial(std::int64_t batch, std::int64_t block, CellObservation& cell) {
    if (!done_.emplace(std::pair(cell.row.hash, block), true).second) {
      return;
    }
    ++cell.planned;
    if (!fits_(batch, tried_[batch]++)) {
      fail_(cell);
      return;
    }
    TrialObservation trial = test::observe_cell(cell.row, {0.01}).trials.front();
    trial.row.block = block;
    cell.trials.push_back(trial);
  }

  const Study& study_;
  Fits fits_;
  End fail_;
  std::map<std::pair<std::string, std::int64_t>, bool> done_;
  std::map<std::int64_t, std::int64_t> tried_;
};

bool below_100(std::int64_t batch, std::int64_t /*n*/) {
  return batch < 100;
}

}  // namespace

TEST_CASE("a batch is doubled until it does not fit, and then the gap is halved", "[analysis]") {
  const Study study = study_with("up_to: 4096");
  Lab lab(study, below_100);

  CHECK(lab.search() == std::vector<std::int64_t>{16, 32, 64, 128, 96, 112, 104, 100, 98, 99});
  CHECK(lab.at(99).trials.size() >= 5);
  CHECK(lab.at(100).failures.at("oom") == 1);
}

TEST_CASE("what fits runs side by side with smaller batches", "[analysis]") {
  const Study study = study_with("up_to: 4096");
  Lab lab(study, below_100);
  lab.search();

  for (const std::int64_t batch : {8, 16, 32, 64}) {  // each at most two thirds of the next
    std::size_t common = 0;
    for (const TrialObservation& trial : lab.at(batch).trials) {
      common += static_cast<std::size_t>(std::ranges::count(
          lab.at(99).trials, trial.row.block, [](const auto& of) { return of.row.block; }));
    }
    CHECK(common >= 5);
  }
  CHECK(lab.at(96).trials.size() == 1);
}

TEST_CASE("a batch that fits once and not always is not the largest that fits", "[analysis]") {
  const Study study = study_with("up_to: 4096, grid: 4");
  // 96 fits in two of three trials.
  Lab lab(study, [](std::int64_t batch, std::int64_t n) {
    return batch < 96 || (batch == 96 && n % 3 != 2);
  });
  lab.search();

  CHECK(lab.at(96).failures.at("oom") >= 1);
  CHECK(lab.at(92).trials.size() >= 5);
  CHECK(lab.at(92).failures.empty());

  const auto rows = fit_shares(lab.observation, study);
  const auto share = [&](std::int64_t batch) {
    return *std::ranges::find(rows, lab.at(batch).row.id, &EstimateRow::cell_id);
  };
  CHECK(share(92).value == 1.0);
  CHECK(share(92).metric == "fit_share");
  CHECK(*share(96).value < 1.0);
  CHECK(*share(96).lo < *share(96).value);
}

// By hand: all of five fit with probability p^5, which is 5 % at 0.05^(1/5).
TEST_CASE("five of five trials say how many launches fit at least", "[analysis]") {
  const Study study = study_with("up_to: 8");
  Lab lab(study, below_100);
  lab.search();
  CHECK(*fit_shares(lab.observation, study).at(0).lo == Approx(0.549280));
  CHECK(fit_shares(lab.observation, study).at(0).n == 5);
}

TEST_CASE("no larger batch is tried than the study allows", "[analysis]") {
  const Study study = study_with("up_to: 100, grid: 8");
  Lab lab(study, [](std::int64_t, std::int64_t) { return true; });

  CHECK(lab.search() == std::vector<std::int64_t>{16, 32, 64, 96});
  CHECK(lab.at(96).trials.size() >= 5);
}

TEST_CASE("where the first batch does not fit the search goes below it", "[analysis]") {
  const Study study = study_with("up_to: 100");
  Lab lab(study, [](std::int64_t batch, std::int64_t) { return batch < 3; });
  CHECK(lab.search() == std::vector<std::int64_t>{4, 2, 3});
  CHECK(lab.at(2).trials.size() >= 5);

  Lab none(study, [](std::int64_t, std::int64_t) { return false; });
  CHECK(none.search() == std::vector<std::int64_t>{4, 2, 1});
}

TEST_CASE("what the program cannot run does not fit", "[analysis]") {
  const Study study = study_with("up_to: 4096");
  Lab lab(study, below_100, [](CellObservation& cell) { ++cell.unsupported; });

  CHECK(lab.search() == std::vector<std::int64_t>{16, 32, 64, 128, 96, 112, 104, 100, 98, 99});
  const auto rows = fit_shares(lab.observation, study);
  const auto row = std::ranges::find(rows, lab.at(100).row.id, &EstimateRow::cell_id);
  REQUIRE(row != rows.end());
  CHECK(row->value == 0.0);
}

TEST_CASE("a batch that fits only when it is tried again does not fit", "[analysis]") {
  const Study study = study_with("up_to: 4096");
  Lab lab(study, below_100, [](CellObservation& cell) {
    ++cell.failures["failed"];
    ++cell.retried["failed"];
    cell.trials.push_back(test::observe_cell(cell.row, {0.01}).trials.front());
  });

  CHECK(lab.search() == std::vector<std::int64_t>{16, 32, 64, 128, 96, 112, 104, 100, 98, 99});
  const auto rows = fit_shares(lab.observation, study);
  const auto row = std::ranges::find(rows, lab.at(100).row.id, &EstimateRow::cell_id);
  REQUIRE(row != rows.end());
  CHECK(row->value == 0.5);  // one of two launches
  CHECK(row->n == 2);

  // Nor is it the fastest that fits once it has all of its trials.
  CellObservation fitting = test::observe_cell(lab.at(100).row, std::vector<double>(5, 0.01));
  CHECK_FALSE(is_probe(fitting, study));
  fitting.failures["failed"] = fitting.retried["failed"] = 1;
  CHECK(is_probe(fitting, study));
}

TEST_CASE("a search ends though the trials of a value never count", "[analysis]") {
  const Study study = study_with("up_to: 4096");
  Lab lab(study, below_100, [](CellObservation& /*cell*/) {});

  CHECK(std::ranges::count(lab.search(), 128) == 4);
  CHECK(lab.at(99).trials.size() >= 5);
}

TEST_CASE("a study without such a search tries nothing", "[analysis]") {
  const Study study = test::study_of(std::string(test::kHead) +
                                     "parameters: {model: mlp-258k, devices: 1}\n"
                                     "axes: {batch_per_device: [8, 16]}\n");
  const Lab lab(study, below_100);
  CHECK(next_fits(lab.observation, study).empty());
  CHECK(fit_shares(lab.observation, study).empty());
}
