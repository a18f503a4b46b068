// How often a gate would fire by chance.
#include "harness/analysis/studies/gate_noise.h"

#include <cmath>

#include <fmt/format.h>

#include "tests/analysis/by_hand.h"
#include "tests/stats/simulation/noise.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

// A cell with those logarithms of step times, session by session.
CellObservation nights(CellRow row, const std::vector<std::vector<double>>& logs) {
  std::vector<double> times_s;
  std::vector<std::int64_t> sessions;
  for (std::size_t night = 0; night < logs.size(); ++night) {
    for (const double value : logs[night]) {
      times_s.push_back(std::exp(value));
      sessions.push_back(static_cast<std::int64_t>(night) + 1);
    }
  }
  CellObservation cell = test::observe_cell(std::move(row), times_s);
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    cell.trials[i].row.session_id = sessions[i];
  }
  return cell;
}

GateReport report_of(const std::vector<CellObservation>& cells) {
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  return gate_report({&observation}, Study());
}

// Six nights 1 % above and below: the variance of their means is 6 x 1e-4 / 5, that of the
// difference of two twice as much, sd = 0.0154919. A gate of 2 % is ln 1.02 / sd = 1.27825 standard
// deviations away, above which a table of the normal distribution has 0.1006.
TEST_CASE("from five sessions on, a night is compared with the one before", "[analysis]") {
  const GateReport report = report_of(
      {nights(test::make_cell(1, 1, 8), {{0.01}, {-0.01}, {0.01}, {-0.01}, {0.01}, {-0.01}})});

  REQUIRE(report.cells.size() == 1);
  const CellGate& gate = report.cells[0];
  CHECK(gate.design == GateDesign::kNights);
  CHECK(gate.sessions == 6);
  CHECK(*gate.noise.chance == Approx(0.1006).margin(5e-5));
  CHECK_FALSE(gate.enough.has_value());  // one trial a night does not say what more would do
  CHECK(gate_sentence(report).starts_with("A gate of 2 % fires by chance in 10 % of sessions ["));
  CHECK_THAT(gate_sentence(report),
             Contains("(1 device, batch 8; 6 sessions of 1 trial, each against the one before)."));
}

TEST_CASE("a noisy cell of one session does not hide the nights of the others", "[analysis]") {
  const GateReport report = report_of(
      {nights(test::make_cell(1, 1, 8), {{0.3, -0.3, 0.3, -0.3}}),
       nights(test::make_cell(2, 2, 8), {{0.01}, {-0.01}, {0.01}, {-0.01}, {0.01}, {-0.01}})});

  REQUIRE(report.cells.size() == 2);
  CHECK(report.cells[0].cell.id == 2);
  CHECK_THAT(gate_sentence(report),
             StartsWith("A gate of 2 % fires by chance in 10 % of sessions"));
}

TEST_CASE("imported trials tell no nights, and so no noise of a gate", "[analysis]") {
  CellObservation cell = nights(test::make_cell(1, 1, 8), {{0.01, -0.01, 0.01, -0.01}});
  CHECK(report_of({cell}).cells.size() == 1);
  for (TrialObservation& trial : cell.trials) {
    trial.row.provenance = TrialProvenance::kImported;
  }
  CHECK(report_of({cell}).cells.empty());
  CHECK(gate_sentence(report_of({cell})).empty());
}

TEST_CASE("cells that make no claim tell no noise of a gate", "[analysis]") {
  CellObservation cell =
      nights(test::make_cell(1, 1, 8), {{0.02}, {-0.02}, {0.02}, {-0.02}, {0.02}, {-0.02}});
  CHECK(report_of({cell}).cells.size() == 1);
  const CellObservation control = nights(test::make_control(2, cell.row, CellRole::kAa),
                                         {{0.03}, {-0.03}, {0.03}, {-0.03}, {0.03}, {-0.03}});
  CHECK(report_of({cell, control}).repeats.size() == 1);
  cell.has_software_type = true;
  CHECK(report_of({cell, control}).cells.empty());
  CHECK(report_of({cell, control}).repeats.empty());
}

TEST_CASE("dates make sessions nights", "[analysis]") {
  CellObservation cell =
      nights(test::make_cell(1, 1, 8), {{0.01}, {-0.01}, {0.01}, {-0.01}, {0.01}, {-0.01}});
  for (std::size_t i = 0; i < cell.trials.size(); ++i) {
    cell.trials[i].row.started_at = "2026-11-2" + std::to_string(i) + "T01:00:00Z";
  }
  CHECK(gate_sentence(report_of({cell}))
            .starts_with("A gate of 2 % fires by chance in 10 % of nights ["));
}

// Two trials a night, 0.0282843 above and below its mean: they vary by 4 %. The means of ten nights
// vary by 0.0276, less than such trials explain (0.04 / sqrt(2) = 0.0283), so that the nights
// themselves do not differ. Of 20 trials a side ln 1.02 is 1.57 standard deviations of the
// difference away, of 50 it is 2.48, with 0.0067 above.
TEST_CASE("where trials make the noise, more of them make the gate quiet", "[analysis]") {
  std::vector<std::vector<double>> logs;
  for (int night = 0; night < 10; ++night) {
    const double mean = night % 2 == 0 ? 0.0262 : -0.0262;
    logs.push_back({mean + 0.0282843, mean - 0.0282843});
  }
  const GateReport report = report_of({nights(test::make_cell(1, 1, 8), logs)});
  CHECK(report.cells.at(0).trials == 2.0);
  REQUIRE(report.cells.at(0).enough.has_value());
  CHECK(*report.cells.at(0).enough == 50);
  CHECK_THAT(gate_sentence(report), Contains("; 50 trials a session would make it at most 1 %."));
}

TEST_CASE("where nights differ, more trials do not help, and that is said", "[analysis]") {
  test::Noise noise(20261126);
  std::vector<std::vector<double>> logs(40);
  for (std::vector<double>& night : logs) {
    const double level = 0.03 * noise.normal();
    night = {level + 0.001 * noise.normal(), level + 0.001 * noise.normal()};
  }
  const GateReport report = report_of({nights(test::make_cell(1, 1, 8), logs)});
  CHECK_FALSE(report.cells.at(0).enough.has_value());
  CHECK_THAT(gate_sentence(report), Contains("; more trials do not bring it below "));
}

TEST_CASE("with fewer than five sessions the noise is that within one night", "[analysis]") {
  const GateReport report = report_of(
      {nights(test::make_cell(1, 1, 8), {{0.01, -0.01, 0.01, -0.01}, {0.03, 0.01, 0.03, 0.01}})});

  REQUIRE(report.cells.size() == 1);
  // The variance within is 8 x 1e-4 / 6; of the difference of two means over four trials half of
  // it: sd = 0.0081650, ln 1.02 / sd = 2.42532, and 0.0076 lies above.
  CHECK(*report.cells[0].noise.chance == Approx(0.00765).margin(5e-5));
  CHECK_THAT(
      gate_sentence(report),
      StartsWith("Within one night, a gate of 2 % fires by chance in 0.8 % of comparisons ["));
  CHECK_THAT(gate_sentence(report),
             Contains("(1 device, batch 8; 4 trials a side); it takes 5 sessions to tell "
                      "how much nights differ, and there are 2."));
  CHECK(gate_threats(test::make_observation({nights(test::make_cell(1, 1, 8), {{0.01, 0.0}})},
                                            Scaling::kStrong),
                     Study())
            .empty());
}

// Nights of two kinds have no spread that says how often they follow each other.
TEST_CASE("where some night stands out, the gate is counted", "[analysis]") {
  std::vector<std::vector<double>> logs;
  for (int night = 0; night < 9; ++night) {
    logs.push_back({night == 4 ? 0.2 : 0.001 * static_cast<double>(night % 3)});
  }
  const GateReport report = report_of({nights(test::make_cell(1, 1, 8), logs)});

  const CellGate& gate = report.cells.at(0);
  CHECK(gate.is_counted);
  CHECK(gate.fired == 1);
  CHECK(gate.comparisons == 8);
  CHECK(*gate.noise.chance == 0.125);
  CHECK_THAT(gate_sentence(report),
             Contains("A gate of 2 % fired in 12 % of sessions [") &&
                 Contains("; 1 of 8, counted because some sessions stand out, by chance or for a "
                          "cause that passed."));
}

TEST_CASE("a change of the cell is no noise of its nights", "[analysis]") {
  test::Noise noise(20261126);
  std::vector<std::vector<double>> logs;
  for (int night = 0; night < 30; ++night) {
    logs.push_back({(night < 15 ? 0.0 : 0.3) + 0.01 * noise.normal()});
  }
  const CellGate gate = report_of({nights(test::make_cell(1, 1, 8), logs)}).cells.at(0);
  CHECK(gate.sessions <= 15);
  CHECK(*gate.noise.chance < 0.2);  // with the change in it 0.47
}

TEST_CASE("the noisiest cell speaks for a gate over several, and the control aa for two sides",
          "[analysis]") {
  const std::vector<std::vector<double>> wide{{0.02}, {-0.02}, {0.02}, {-0.02}, {0.02}, {-0.02}};
  const std::vector<std::vector<double>> narrow{{0.01}, {-0.01}, {0.01}, {-0.01}, {0.01}, {-0.01}};
  const CellRow base = test::make_cell(1, 1, 8);
  // In each night the control is 0.01 above or below what it repeats: sd 0.01 about 0, and 0.0238
  // lies above ln 1.02 / 0.01 = 1.98026.
  std::vector<std::vector<double>> repeated = wide;
  for (std::size_t night = 0; night < repeated.size(); ++night) {
    repeated[night][0] += night % 2 == 0 ? 0.01 : -0.01;
  }
  const GateReport report =
      report_of({nights(base, wide),
                 nights(test::make_cell(2, 2, 8), narrow),
                 nights(test::make_control(3, base, CellRole::kAa), repeated)});

  REQUIRE(report.cells.size() == 2);
  CHECK(report.cells[0].cell.id == 1);
  REQUIRE(report.repeats.size() == 1);
  CHECK(*report.repeats[0].noise.chance == Approx(0.0238).margin(5e-5));
  const double median = 50.0 * (*report.cells[0].noise.chance + *report.cells[1].noise.chance);
  CHECK_THAT(gate_sentence(report),
             Contains(fmt::format("(1 device, batch 8, the noisiest of 2 cells, whose median is "
                                  "{:.0f} %; 6 ",
                                  median)));
  CHECK_THAT(gate_sentence(report),
             Contains(" Between two sides of one session, it fires by chance in 2.4 % ["));
}

}  // namespace
