// Threats from sessions that say the opposite of each other.
#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/threats/threats.h"
#include "tests/analysis/by_hand.h"
#include "tests/support/catch.h"
#include "tests/support/numbers_in.h"

using namespace scalestudy;
using Catch::Contains;
using test::make_cell;
using test::observe_cell;

namespace {

// One device takes 1 s in each block, two take first_s in the first session and second_s
// in the others.
struct Layout {
  double first_s = 1.0;
  double second_s = 1.0;
  std::string first_hosts = "near";  // of the first session; the others ran on far
  double spread = 1.0;               // of the trials of a session, in percent
  std::size_t blocks = 5;            // of a session
  std::size_t sessions = 2;
};

std::vector<ThreatRow> threats_of(const Layout& layout) {
  const std::vector<double> noise = {0.0, 0.01, -0.01, 0.005, -0.005};
  const auto with_noise = [&](double time_s, std::size_t block) {
    return time_s * (1.0 + layout.spread * noise[block % 5]);
  };
  std::vector<double> base;
  std::vector<double> cell;
  for (std::size_t i = 0; i < layout.blocks * layout.sessions; ++i) {
    base.push_back(with_noise(1.0, i + 2));
    cell.push_back(with_noise(i < layout.blocks ? layout.first_s : layout.second_s, i));
  }
  std::vector<CellObservation> cells;
  for (const auto& [row, times_s] :
       {std::pair(make_cell(1, 1, 8), base), {make_cell(2, 2, 8), cell}}) {
    cells.push_back(observe_cell(row, times_s));
    for (TrialObservation& trial : cells.back().trials) {
      trial.row.session_id = trial.row.block / static_cast<std::int64_t>(layout.blocks) + 1;
      trial.row.hosts = trial.row.session_id == 1 ? layout.first_hosts : "far";
    }
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  return opposite_sessions(observation, {}, compare_cells(observation, {}));
}

}  // namespace

TEST_CASE("sessions that contradict each other are a warning with both speedups", "[analysis]") {
  const auto rows = threats_of({.first_s = 0.8, .second_s = 1.25});

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kSessions);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK_THAT(rows[0].finding,
             Contains("speedups: 2 devices, batch 8: 1.25x in session 1 (near), 0.800x in "
                      "session 2 (far)."));
}

TEST_CASE("a session of unknown machines is told by its number alone", "[analysis]") {
  CHECK_THAT(threats_of({.first_s = 0.8, .second_s = 1.25, .first_hosts = ""}).at(0).finding,
             Contains("1.25x in session 1, 0.800x in session 2 (far)"));
}

TEST_CASE("sessions that agree, or differ by less than matters, do not contradict each other",
          "[analysis]") {
  CHECK(threats_of({.first_s = 0.8, .second_s = 0.5}).empty());
  CHECK(threats_of({.first_s = 0.8, .second_s = 1.0}).empty());  // no effect is no opposite
  // By less than the margin of 2 %, though by more than chance.
  CHECK(threats_of({.first_s = 0.985, .second_s = 1.25, .spread = 0.2}).empty());
  CHECK(threats_of({.first_s = 1.015, .second_s = 0.8, .spread = 0.2}).empty());
  CHECK(threats_of({.first_s = 0.97, .second_s = 1.25, .spread = 0.2}).size() == 1);
}

TEST_CASE("what chance explains in one of the sessions is no contradiction", "[analysis]") {
  // Of the first session p is 0.036, twice which is more than 0.05.
  CHECK(threats_of({.first_s = 0.946, .second_s = 1.25, .spread = 4.0}).empty());
  CHECK(threats_of({.first_s = 0.946, .second_s = 1.25, .spread = 3.0}).size() == 1);
}

TEST_CASE("five sessions are the unit of a speedup and contradict nothing", "[analysis]") {
  CHECK(threats_of({.first_s = 0.8, .second_s = 1.25, .sessions = 5}).empty());
  CHECK(threats_of({.first_s = 0.8, .second_s = 1.25, .sessions = 4}).size() == 1);
}

TEST_CASE("sessions of fewer than five trials a side contradict nothing", "[analysis]") {
  CHECK(threats_of({.first_s = 0.8, .second_s = 1.25, .blocks = 4}).empty());
}
