// Searches: what the race keeps, what fresh blocks say, and what is recommended. By simulation with
// bounds of three standard errors or more; tests/bench/coverage.cc is the full one.
#include "tests/analysis/simulation/searches.h"

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/search/search_result.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::SearchTally;

namespace {

using Catch::Matchers::Contains;

// Five settings of x, y; the default first. Times of the race by block, and of fresh blocks.
class SearchByHand {
 public:
  SearchByHand() {
    study.search.emplace(search());
    study.trials.count = kMostSearchBlocks;
    study.analysis.baseline = {{"x", std::int64_t{0}}, {"y", std::int64_t{0}}};
    const std::vector<std::pair<std::string, std::string>> values{
        {"0", "0"}, {"1", "0"}, {"0", "1"}, {"1", "1"}, {"2", "1"}};
    for (const auto& [x, y] : values) {
      CellRow row = test::make_cell(static_cast<std::int64_t>(cells.size()) + 1, 1, 64);
      row.hash = "x" + x + "y" + y;
      row.baseline = "x0y0";
      row.label = "x=" + x + " y=" + y;
      row.parameters = {{"x", x, ValueKind::kInteger, true}, {"y", y, ValueKind::kInteger, true}};
      cells.push_back(test::observe_cell(row, {}));
    }
  }

  static Search search() {
    Search declared;
    declared.over = {"x", "y"};
    declared.budget_s = 1e6;
    return declared;
  }

  // A trial of `cell` (from 1) in a block; time 0: it failed.
  void add(std::int64_t cell, std::int64_t block, SearchPart part, double time_s) {
    TrialObservation trial;
    trial.row.id = static_cast<std::int64_t>(trials.size()) + 1;
    trial.row.cell_id = cell;
    trial.row.plan = "p";
    trial.row.block = block;
    trial.row.part = part;
    trial.row.wall_s = 1.0;
    trial.row.state = time_s > 0.0 ? TrialState::kOk : TrialState::kFailed;
    trial.row.reason = time_s > 0.0 ? "" : "exit code 7";
    trials.push_back(trial.row);
    if (time_s > 0.0) {
      trial.metrics[kStepTime] = {
          .steps = 10, .mean = time_s, .p50 = time_s, .p95 = time_s, .p99 = time_s, .last = time_s};
      cells.at(static_cast<std::size_t>(cell - 1)).trials.push_back(trial);
    }
  }

  SearchBlocks next() {
    observation = test::make_observation(cells, Scaling::kNone);
    return next_search_blocks(observation, trials, study, "p");
  }

  Results results() {
    observation = test::make_observation(cells, Scaling::kNone);
    Results found;
    found.comparisons = compare_cells(fresh_only(observation, trials), study);
    add_search(observation, trials, study, found);
    return found;
  }

  Study study;
  std::vector<CellObservation> cells;
  std::vector<TrialRow> trials;
  StudyObservation observation;
};

std::vector<std::int64_t> ids_of(const SearchBlocks& next) {
  std::vector<std::int64_t> ids;
  for (const auto& [id, part] : next.cells) {
    ids.push_back(id);
  }
  return ids;
}

const SearchSettingRow& row_of(const Results& results, std::int64_t cell) {
  return results.search_settings.at(static_cast<std::size_t>(cell - 1));
}

// Three blocks in which x=1 is a tenth faster, whatever y, and trials hardly vary.
SearchByHand raced() {
  SearchByHand search;
  const double times_s[] = {1.0, 0.9, 1.02, 0.899, 1.05};
  for (std::int64_t block = 0; block < 3; ++block) {
    for (std::int64_t cell = 1; cell <= 5; ++cell) {
      const double noise = 1.0 + 0.001 * static_cast<double>((cell * 7 + block * 3) % 5);
      search.add(cell, block, SearchPart::kRace, times_s[cell - 1] * noise);
    }
  }
  return search;
}

}  // namespace

TEST_CASE("a first round is of three blocks where the budget holds them", "[analysis]") {
  SearchByHand search;
  for (std::int64_t cell = 1; cell <= 5; ++cell) {
    search.add(cell, 0, SearchPart::kRace, 1.0 + 0.01 * static_cast<double>(cell));
  }

  const SearchBlocks rich = search.next();
  CHECK(rich.first == 1);
  CHECK(rich.count == 2);
  CHECK(ids_of(rich) == std::vector<std::int64_t>{1, 2, 3, 4, 5});

  // Half of 20 trials, 5 spent, two rounds left: none buys a second block of all; the better half
  // goes on, and the default.
  search.study.search->max_trials = 20;
  const SearchBlocks poor = search.next();
  CHECK(poor.count == 1);
  CHECK(ids_of(poor) == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("fresh blocks are of the winner, simpler settings that may be as good, and the default",
          "[analysis]") {
  SearchByHand search = raced();

  const SearchBlocks next = search.next();

  CHECK(next.first == 3);
  CHECK(next.count == kLeastFreshBlocks);  // a spread of 0.2 % finds 2 % in fewer
  CHECK(next.cells == std::map<std::int64_t, SearchPart>{{1, SearchPart::kDefault},
                                                         {2, SearchPart::kCandidate},
                                                         {4, SearchPart::kWinner}});
  // The same trials, asked again: a killed run goes on as one that was not.
  CHECK(search.next().cells == next.cells);
}

TEST_CASE("a race for a bandwidth goes by the times that it follows from", "[analysis]") {
  SearchByHand search = raced();
  search.study.search->objective = "busbw_bytes_per_s";
  search.study.analysis.metrics = {{.metric = "busbw_bytes_per_s", .is_higher_better = true}};
  for (CellObservation& cell : search.cells) {
    cell.total_bytes = 1e6;
    cell.busbw_factor = 1.0;
    for (TrialObservation& trial : cell.trials) {  // means of rates, which single steps raise
      trial.metrics["busbw_bytes_per_s"] = {.steps = 10,
                                            .mean = 1e7 * trial.metrics[kStepTime].mean};
    }
  }

  CHECK(ids_of(search.next()) == ids_of(raced().next()));
}

TEST_CASE("a race that is over asks for nothing more", "[analysis]") {
  SearchByHand search = raced();
  search.add(1, 3, SearchPart::kDefault, 1.0);

  CHECK(search.next().count == 0);
}

TEST_CASE("a setting that fails leaves with a word, and never comes back", "[analysis]") {
  SearchByHand search;
  for (std::int64_t cell = 1; cell <= 5; ++cell) {
    search.add(cell, 0, SearchPart::kRace, cell == 4 ? 0.0 : 1.0);
  }

  CHECK(ids_of(search.next()) == std::vector<std::int64_t>{1, 2, 3, 5});
  CHECK(row_of(search.results(), 4).role == SearchRole::kFailed);
  CHECK_THAT(row_of(search.results(), 4).finding, Contains("a trial ended failed: exit code 7"));
}

TEST_CASE("a setting whose trials were all put aside leaves with that word", "[analysis]") {
  SearchByHand search;
  for (std::int64_t cell = 1; cell <= 5; ++cell) {
    search.add(cell, 0, SearchPart::kRace, cell == 4 ? 0.0 : 1.0);
  }
  search.trials.at(3).state = TrialState::kInvalid;
  search.trials.at(3).disturbance = Disturbance::kForeignLoad;
  search.trials.at(3).reason = "foreign_load: other processes took 1 of 2 cores";

  CHECK(ids_of(search.next()) == std::vector<std::int64_t>{1, 2, 3, 5});
  CHECK(row_of(search.results(), 4).role == SearchRole::kFailed);
  CHECK_THAT(row_of(search.results(), 4).finding, Contains("put aside for what disturbed them"));
}

TEST_CASE("a search whose default fails is over", "[analysis]") {
  SearchByHand search;
  for (std::int64_t cell = 1; cell <= 5; ++cell) {
    search.add(cell, 0, SearchPart::kRace, cell == 1 ? 0.0 : 1.0);
  }

  CHECK(search.next().count == 0);
  CHECK(row_of(search.results(), 1).role == SearchRole::kFailed);
}

TEST_CASE(
    "the simplest setting that is as good as the winner is recommended, by fresh trials alone",
    "[analysis]") {
  SearchByHand search = raced();
  for (std::int64_t block = 3; block < 13; ++block) {
    const double noise = 1.0 + 0.002 * static_cast<double>(block % 3);
    search.add(1, block, SearchPart::kDefault, 1.0 * noise);
    search.add(2, block, SearchPart::kCandidate, 0.952 + 0.0003 * static_cast<double>(block % 2));
    search.add(4, block, SearchPart::kWinner, 0.950 + 0.0004 * static_cast<double>(block % 4));
  }

  const Results results = search.results();

  CHECK(row_of(results, 2).is_recommended);
  CHECK_THAT(row_of(results, 2).finding,
             Contains("x=1, y=0: 1.05") &&  // 1/0.952; of the race it was 1/0.9 = 1.11
                 Contains("simplest equivalent within 2 % to the race's winner, x=1, y=1 (1 "
                          "departure instead of 2)"));
  CHECK(row_of(results, 4).role == SearchRole::kWinner);
  CHECK(row_of(results, 3).role == SearchRole::kLeft);
  CHECK(row_of(results, 3).left_after == 3);
  for (const ComparisonRow& row : results.comparisons) {
    CHECK(row.n == 10);  // no row rests on trials of the race
  }
}

TEST_CASE("a simpler setting that is not told apart from the winner is not equivalent to it",
          "[analysis]") {
  SearchByHand search = raced();
  const double candidate_s[] = {0.88, 0.94, 0.89, 0.93, 0.90, 0.935, 0.88, 0.925};  // mean 0.91
  for (std::int64_t block = 3; block < 11; ++block) {
    search.add(1, block, SearchPart::kDefault, 1.0 + 0.001 * static_cast<double>(block % 3));
    search.add(2, block, SearchPart::kCandidate, candidate_s[block - 3]);
    search.add(4, block, SearchPart::kWinner, 0.90 + 0.001 * static_cast<double>(block % 2));
  }

  const Results results = search.results();

  const auto beside = std::ranges::find_if(results.comparisons, [](const ComparisonRow& row) {
    return row.quantity == kAgainstWinner && row.cell_id == 2;
  });
  CHECK(beside->verdict == Verdict::kNoDetectableDifference);
  CHECK(row_of(results, 4).is_recommended);
}

// The winner's gain alone: t = 0.0204 / 0.0077 with 7 degrees of freedom, p = 0.03; of two gains
// that is 0.07.
TEST_CASE("a gain whose interval leaves out 1 is open only after adjustment", "[analysis]") {
  SearchByHand search = raced();
  for (std::int64_t block = 3; block < 11; ++block) {
    const double sign = block % 2 == 0 ? 1.0 : -1.0;
    search.add(1, block, SearchPart::kDefault, 1.0);
    search.add(2, block, SearchPart::kCandidate, 1.0 + 0.02 * (block % 4 < 2 ? 1.0 : -1.0));
    search.add(4, block, SearchPart::kWinner, 0.98 + 0.0203 * sign);
  }

  CHECK_THAT(row_of(search.results(), 1).finding,
             Contains("on fresh blocks: no significant difference after adjustment)"));
}

TEST_CASE("trials of the race are none of the trials planned or excluded that fresh blocks have",
          "[analysis]") {
  SearchByHand search = raced();  // trial 1 is the default's in block 0, trial 6 that in block 1
  for (std::int64_t block = 3; block < 8; ++block) {
    search.add(1, block, SearchPart::kDefault, 1.0);  // trials 16 to 20
  }
  CellObservation& base = search.cells.at(0);
  base.planned = 8;
  // Excluded by hand: two trials of the race, of which a later attempt took the place of the
  // second, and a fresh trial.
  for (const std::int64_t id : {1, 6, 16}) {
    base.excluded.emplace(id, "noisy");
    search.trials.at(static_cast<std::size_t>(id - 1)).state = TrialState::kInvalid;
    std::erase_if(base.trials, [id](const TrialObservation& trial) { return trial.row.id == id; });
  }
  search.trials.at(5).superseded = true;
  search.add(1, 1, SearchPart::kRace, 1.0);
  search.observation = test::make_observation(search.cells, Scaling::kNone);

  const StudyObservation fresh = fresh_only(search.observation, search.trials);

  REQUIRE(fresh.cells.size() == 1);
  CHECK(fresh.cells[0].trials.size() == 4);
  CHECK(fresh.cells[0].planned == 5);
  CHECK(fresh.cells[0].excluded == std::map<std::int64_t, std::string>{{16, "noisy"}});
}

TEST_CASE("a winner that fresh blocks do not find better is no gain", "[analysis]") {
  SearchByHand search = raced();
  for (std::int64_t block = 3; block < 13; ++block) {
    for (const auto& [cell, part] : {std::pair{1, SearchPart::kDefault},
                                     {2, SearchPart::kCandidate},
                                     {4, SearchPart::kWinner}}) {
      search.add(cell, block, part, 1.0 + 0.001 * static_cast<double>((block * cell) % 7));
    }
  }

  const Results results = search.results();

  CHECK(row_of(results, 1).is_recommended);
  CHECK_THAT(row_of(results, 1).finding, Contains("keep the default (x=0, y=0)"));
}

TEST_CASE("a winner of which a fresh trial fails is not recommended, however fast", "[analysis]") {
  SearchByHand search = raced();
  for (std::int64_t block = 3; block < 13; ++block) {
    search.add(1, block, SearchPart::kDefault, 1.0 + 0.001 * static_cast<double>(block % 3));
    search.add(4,
               block,
               SearchPart::kWinner,
               block == 12 ? 0.0 : 0.8 + 0.001 * static_cast<double>(block % 2));
  }

  const Results results = search.results();

  CHECK(row_of(results, 1).is_recommended);
  CHECK_THAT(row_of(results, 1).finding, Contains("a trial ended failed: exit code 7"));
}

TEST_CASE("no setting is recommended before all fresh trials have ended", "[analysis]") {
  SearchByHand search = raced();
  for (std::int64_t block = 3; block < 8; ++block) {
    search.add(1, block, SearchPart::kDefault, 1.0 + 0.001 * static_cast<double>(block));
    search.add(4, block, SearchPart::kWinner, 0.8 + 0.001 * static_cast<double>(block % 2));
  }
  search.trials.back().state = TrialState::kPlanned;

  for (const SearchSettingRow& row : search.results().search_settings) {
    CHECK(!row.is_recommended);
  }
}

TEST_CASE("64 settings of which none is better are no gain, and their winner's interval covers",
          "[analysis]") {
  const SearchTally tally =
      test::run_searches({.speedups = {}, .trial_sd = 0.04, .max_trials = 400}, 400, 31);

  CHECK(tally.claimed.share() < 0.05);
  CHECK(tally.covered.share() > 0.93);
  CHECK(std::abs(tally.gain - 1.0) < 0.002);
  // What it would be with the race's trials in it: the winner's curse is seen.
  CHECK(tally.gain_all > 1.003);
  CHECK(tally.trials < 450.0);
}

TEST_CASE("a setting that is a tenth better is kept and recommended", "[analysis]") {
  const SearchTally tally =
      test::run_searches({.speedups = {{37, 1.1}}, .trial_sd = 0.03, .max_trials = 213}, 200, 32);

  CHECK(tally.kept.share() > 0.95);
  CHECK(tally.used.share() > 0.95);
  CHECK(tally.trials < 64.0 * 10.0 / 3.0);  // of ten trials of each
}
