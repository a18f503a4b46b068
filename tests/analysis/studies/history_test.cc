// Changes of cells over sessions.
#include "harness/analysis/studies/history.h"

#include <cmath>
#include <limits>
#include <set>

#include "tests/analysis/by_hand.h"
#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::test;

namespace {

// A cell of one trial a session, 2 % apart; slower by `shift` from session `change` on.
CellObservation nightly(
    std::int64_t id, std::size_t count, std::size_t change, double shift, Noise& noise) {
  std::vector<double> times_s;
  for (std::size_t i = 1; i <= count; ++i) {
    times_s.push_back(noise.factor(0.02) * (i < change ? 1.0 : 1.0 + shift));
  }
  CellObservation cell = observe_cell(make_cell(id, id, 8), times_s);
  for (std::size_t i = 0; i < count; ++i) {
    cell.trials[i].row.session_id = static_cast<std::int64_t>(i) + 1;
  }
  return cell;
}

Side make_side(std::vector<CellObservation> cells) {
  Side side;
  side.observation = make_observation(std::move(cells), Scaling::kStrong);
  return side;
}

}  // namespace

TEST_CASE("the cell that became slower is named, with session and size", "[analysis]") {
  Noise noise(20261122);
  const History history = find_history(
      make_side({nightly(1, 20, 13, 0.10, noise), nightly(2, 20, 21, 0.0, noise)}), 0.95);

  REQUIRE(history.changes.size() == 1);
  const CellChange& change = history.changes[0];
  CHECK(change.cell.devices == 1);
  CHECK(change.session == 13);
  CHECK(change.earliest <= 13);
  CHECK(change.latest >= 13);
  CHECK(*change.speedup_lo < 1.0 / 1.10);
  CHECK(*change.speedup_hi > 1.0 / 1.10);
  CHECK(*change.speedup_hi < 1.0);
  REQUIRE(history.steady.size() == 1);
  CHECK(history.steady[0].devices == 2);
}

TEST_CASE("the size of a change is told against the sessions since the one before", "[analysis]") {
  Noise noise(20261126);
  CellObservation cell = nightly(1, 30, 11, 0.20, noise);
  for (std::size_t i = 20; i < 30; ++i) {
    cell.trials[i].metrics[kStepTime].mean /= 1.20;
  }
  const History history = find_history(make_side({cell}), 0.95);

  REQUIRE(history.changes.size() == 2);
  CHECK(history.changes[1].session == 21);
  CHECK(*history.changes[1].speedup == Approx(1.20).epsilon(0.03));
}

// Means of 26.0 and 38.6 ms: 26.0/38.6 = 0.67358.
TEST_CASE("a change before the last four sessions has its session, its facts and its size",
          "[analysis]") {
  const auto told = [](std::size_t sessions) {
    std::vector<double> times_s;
    for (std::size_t i = 0; i < sessions; ++i) {
      const double off_s = i == 14 ? 0.0 : i % 2 == 0 ? 0.0002 : -0.0002;
      times_s.push_back((i < 10 ? 0.0260 : 0.0386) + off_s);
    }
    Side all = make_side({observe_cell(make_cell(1, 1, 8), times_s)});
    all.sessions.resize(sessions);
    for (std::size_t i = 0; i < sessions; ++i) {
      const std::int64_t id = static_cast<std::int64_t>(i) + 1;
      all.sessions[i].id = id;
      all.observation.cells[0].trials[i].row.session_id = id;
      all.facts.push_back({{"file.p2.py", id <= 10 ? "d9a7" : "bd26"}});
    }
    return all;
  };

  for (const std::size_t sessions : {14U, 15U}) {
    const Side all = told(sessions);
    const History history = find_history(all, 0.95);
    CAPTURE(sessions);
    REQUIRE(history.changes.size() == 1);
    const CellChange& change = history.changes[0];
    CHECK(change.session == 11);
    CHECK(change.earliest == 11);
    CHECK(change.latest == 11);
    CHECK(change.before == 10);
    CHECK(*change.speedup == Approx(0.67358).epsilon(1e-5));
    CHECK(change.speedup_lo.has_value() == (sessions == 15));  // five a side have an interval
    CHECK(change.speedup_hi.has_value() == (sessions == 15));
    CHECK(changed_facts(all, change) ==
          std::vector<std::string>{"file.p2.py: d9a7 -> bd26 (session 11)"});
  }
  CHECK(find_history(told(12), 0.95).steady.size() == 1);
}

TEST_CASE("a session without a number makes no cell steady", "[analysis]") {
  Noise noise(20261124);
  CellObservation cell = nightly(1, 20, 21, 0.0, noise);
  cell.trials[7].metrics[kStepTime].mean = std::numeric_limits<double>::quiet_NaN();

  const History history = find_history(make_side({cell}), 0.95);

  CHECK(history.steady.empty());
  CHECK(history.changes.empty());
  CHECK(history.short_ones.size() == 1);
}

TEST_CASE("sessions with another definition of the step time are left out and named",
          "[analysis]") {
  Noise noise(20261127);
  CellObservation cell = nightly(1, 24, 13, -0.20, noise);
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {
    cell.trials[i].definition = i < 12 ? StepTimeDefinition::kSteps : StepTimeDefinition::kWindow;
  }

  const History history = find_history(make_side({cell}), 0.95);

  CHECK(history.changes.empty());
  CHECK(history.steady.size() == 1);
  CHECK(history.other_definition == std::set<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
}

TEST_CASE("a cell that wanders from session to session is neither changed nor steady",
          "[analysis]") {
  Noise noise(20261128);
  CellObservation cell = nightly(1, 20, 21, 0.0, noise);
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {  // a slow swing
    cell.trials[i].metrics[kStepTime].mean = 1.0 + 0.05 * std::sin(0.3 * static_cast<double>(i));
  }

  const History history = find_history(make_side({cell}), 0.95);

  CHECK(history.changes.empty());
  CHECK(history.steady.empty());
  REQUIRE(history.wandering.size() == 1);
  CHECK(history.wandering[0].dependence > 0.8);
}

TEST_CASE("a cell without a trial that counts is not left out, unless none can be", "[analysis]") {
  Noise noise(20261129);
  CellObservation failed = observe_cell(make_cell(2, 2, 8), {});
  failed.planned = 20;
  failed.unsupported = 1;  // on a machine of one night
  CellObservation removed = observe_cell(make_cell(3, 4, 8), {});
  removed.planned = 0;
  CellObservation unsupported = observe_cell(make_cell(4, 8, 8), {});
  unsupported.planned = unsupported.unsupported = 20;
  const History history =
      find_history(make_side({nightly(1, 20, 21, 0.0, noise), failed, removed, unsupported}), 0.95);

  CHECK(history.steady.size() == 1);
  REQUIRE(history.short_ones.size() == 1);
  CHECK(history.short_ones[0].devices == 2);
}

TEST_CASE("nine sessions tell no change", "[analysis]") {
  Noise noise(20261123);
  const History history = find_history(make_side({nightly(1, 9, 5, 1.0, noise)}), 0.95);

  CHECK(history.changes.empty());
  CHECK(history.short_ones.size() == 1);
}

// Each of 40 cells would get 0.05 / 40 = 0.00125 of alpha, less than ten sessions can reach: one of
// the 252 ways to choose five of them is theirs.
TEST_CASE("cells without a claim get no change and take no alpha from the others", "[analysis]") {
  std::vector<CellObservation> cells;
  for (std::int64_t id = 1; id <= 40; ++id) {
    CellObservation cell = observe_cell(
        make_cell(id, id, 8), {1.00, 1.01, 0.99, 1.02, 0.98, 1.300, 1.313, 1.287, 1.326, 1.274});
    for (std::size_t i = 0; i < cell.trials.size(); ++i) {
      cell.trials[i].row.session_id = static_cast<std::int64_t>(i) + 1;
    }
    cell.row.oversubscribed = id > 2;
    cell.has_software_type = id == 2;
    cells.push_back(cell);
  }
  const History history = find_history(make_side(std::move(cells)), 0.95);

  REQUIRE(history.changes.size() == 1);
  CHECK(history.changes[0].cell.devices == 1);
  CHECK(history.changes[0].session == 6);
  CHECK(*history.changes[0].speedup == Approx(1.0 / 1.3));
  CHECK(history.steady.empty());
  CHECK(history.no_claim.at(Verdict::kNoClaim).size() == 38);
  REQUIRE(history.no_claim.at(Verdict::kSoftwareType).size() == 1);
  CHECK(history.no_claim.at(Verdict::kSoftwareType)[0].devices == 2);
}

TEST_CASE("a history of many cells without a change is given one in 5 % at most", "[analysis]") {
  constexpr int replicates = 200;
  Noise noise(20261124);
  int called = 0;
  for (int r = 0; r < replicates; ++r) {
    std::vector<CellObservation> cells;
    for (std::int64_t id = 1; id <= 6; ++id) {
      cells.push_back(nightly(id, 15, 16, 0.0, noise));
    }
    called += find_history(make_side(std::move(cells)), 0.95).changes.empty() ? 0 : 1;
  }
  CHECK(called <= replicates * (0.05 + 4.0 * 0.0154));
}

TEST_CASE("facts that changed with a session are named with it", "[analysis]") {
  Side all;
  all.sessions.resize(4);
  for (std::size_t i = 0; i < 4; ++i) {
    all.sessions[i].id = static_cast<std::int64_t>(i) + 1;
  }
  all.facts = {{{"kernel", "6.1"}},
               {{"kernel", "6.1"}, {"driver", "535"}},
               {{"kernel", "6.2"}, {"driver", "535"}},
               {{"kernel", "6.3"}, {"driver", "535"}}};

  CellChange change;
  change.before = 1;
  change.latest = 3;
  CHECK(changed_facts(all, change) == std::vector<std::string>{"driver: none -> 535 (session 2)",
                                                               "kernel: 6.1 -> 6.2 (session 3)"});
  const std::string text = "version: 1\nstudy: demo\nworkload: command\ncommand: [a]\ntrials: ";
  const std::vector<std::string> ends = {"1\n", "2\n", "3\nsteps: {warmup: 0}\n"};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    all.sessions[i].study_hash = ends[i];
    all.sessions[i].study_text = text + ends[i];
  }
  change.before = 2;
  CHECK(changed_facts(all, change) ==
        std::vector<std::string>{"kernel: 6.1 -> 6.2 (session 3)",
                                 "steps.warmup: 10 -> 0 (session 3)"});
  // 10min has the hash of a study without the limit.
  all.sessions[3].study_hash = all.sessions[2].study_hash;
  all.sessions[3].study_text = text + ends[2] + "limits: {timeout: 10min}\n";
  change.before = 3;
  change.latest = 4;
  CHECK(changed_facts(all, change) ==
        std::vector<std::string>{"kernel: 6.2 -> 6.3 (session 4)",
                                 "limits.timeout: (not given) -> 600 s (session 4)"});
  change.before = 0;
  change.latest = 1;
  CHECK(changed_facts(all, change).empty());
}

TEST_CASE("facts that changed in a session without a trial that counts are named, too",
          "[analysis]") {
  Noise noise(20261122);
  CellObservation cell = nightly(1, 20, 13, 0.50, noise);
  for (std::size_t i = 12; i < 20; ++i) {  // in session 13, with the new driver, all trials failed
    ++*cell.trials[i].row.session_id;
  }
  Side all = make_side({cell});
  all.sessions.resize(21);
  all.facts.resize(21);
  for (std::size_t i = 0; i < 21; ++i) {
    all.sessions[i].id = static_cast<std::int64_t>(i) + 1;
    all.facts[i] = {{"driver", i < 12 ? "535" : "550"}};
  }

  const History history = find_history(all, 0.95);

  REQUIRE(history.changes.size() == 1);
  CHECK(history.changes[0].session == 14);
  CHECK(history.changes[0].before == 12);
  CHECK(changed_facts(all, history.changes[0]) ==
        std::vector<std::string>{"driver: 535 -> 550 (session 13)"});
}
