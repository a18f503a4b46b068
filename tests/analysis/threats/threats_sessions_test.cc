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

// Two sessions of five blocks; one device takes 1 s in both, two take these times.
std::vector<ThreatRow> threats_of(double first_s, double second_s) {
  const std::vector<double> noise = {1.0, 1.01, 0.99, 1.005, 0.995};
  std::vector<double> base;
  std::vector<double> cell;
  for (std::size_t i = 0; i < 10; ++i) {
    base.push_back(noise[(i + 2) % 5]);
    cell.push_back((i < 5 ? first_s : second_s) * noise[i % 5]);
  }
  std::vector<CellObservation> cells;
  for (const auto& [row, times_s] :
       {std::pair(make_cell(1, 1, 8), base), {make_cell(2, 2, 8), cell}}) {
    cells.push_back(test::in_session(test::in_session(observe_cell(row, times_s), 1), 2, 5));
    for (TrialObservation& trial : cells.back().trials) {
      trial.row.hosts = trial.row.session_id == 1 ? "near" : "far";
    }
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  return opposite_sessions(observation, {}, compare_cells(observation, {}));
}

}  // namespace

TEST_CASE("sessions that contradict each other are a warning with both speedups", "[analysis]") {
  const auto rows = threats_of(0.8, 1.25);

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].kind == ThreatKind::kSessions);
  CHECK(rows[0].severity == Severity::kWarning);
  CHECK_THAT(rows[0].finding, Contains("1.25x in session 1 (near), 0.800x in session 2 (far)"));
}

TEST_CASE("sessions that agree, or differ by less than matters, do not contradict each other",
          "[analysis]") {
  CHECK(threats_of(0.8, 0.5).empty());
  CHECK(threats_of(0.8, 1.0).empty());     // no effect is no opposite
  CHECK(threats_of(0.985, 1.25).empty());  // faster by less than the margin of 2 %
}
