// Which law is chosen, and what is said of it.
#include "harness/analysis/laws/law_choices.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/analysis/laws/law_finding.h"
#include "harness/analysis/laws/laws.h"
#include "tests/analysis/by_hand.h"
#include "tests/analysis/laws/ring_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Matchers::Contains;
using test::make_cell;
using test::observe_cell;
using test::projected_study;
using test::ring_cells;
using test::weak_cell;

TEST_CASE("the law that made the times is chosen among five counts, of four none is",
          "[analysis]") {
  const auto choose = [](const std::vector<std::int64_t>& devices) {
    return choose_laws(
        test::make_observation(ring_cells(devices), Scaling::kWeak), projected_study({16}), {}, {});
  };
  const LawChoices five = choose({1, 2, 4, 8, 16});
  REQUIRE(five.choices.size() == 1);
  CHECK(five.choices[0].chosen == Law::kCommunicationFitted);
  CHECK(*five.choices[0].held_out_error < 1e-3);
  CHECK_THAT(five.choices[0].finding, !Contains("fewest parameters"));
  REQUIRE(five.errors.size() == 3);  // those that apply to weak scaling, asked for or not
  for (const LawRow& row : five.errors) {
    CHECK(row.parameter == "held_out_error");
    CHECK((*row.value < 1e-3) == (row.law == Law::kCommunicationFitted));
  }

  const LawChoices four = choose({1, 2, 4, 8});
  CHECK_FALSE(four.choices.at(0).chosen);
  CHECK(four.choices.at(0).status == RowStatus::kInsufficientData);
  CHECK(four.choices.at(0).finding == "no law may be chosen: 4 distinct device counts, 5 needed");
  CHECK_FALSE(four.errors.at(0).value);
}

TEST_CASE("a chosen law that the trials reject is said to be rejected", "[analysis]") {
  // Five counts that no law here meets: each is 10 % above or below 1/sqrt(n), +-0.1 %.
  std::vector<CellObservation> cells;
  for (const std::int64_t devices : {1, 2, 4, 8, 16}) {
    const double time_s = (std::ssize(cells) % 2 == 0 ? 0.11 : 0.09) / std::sqrt(devices);
    cells.push_back(observe_cell(make_cell(std::ssize(cells) + 1, devices, 64),
                                 {time_s * 1.001, time_s * 0.999, time_s * 1.002, time_s * 0.998}));
  }
  const StudyObservation observation = test::make_observation(cells, Scaling::kStrong);
  Study study = projected_study({16});
  study.analysis.laws = {Law::kAmdahl, Law::kUsl};
  const std::vector<LawRow> fitted = fit_laws(observation, study);
  const LawChoiceRow choice = choose_laws(observation, study, {}, fitted).choices.at(0);

  REQUIRE(choice.chosen);
  CHECK(std::ranges::any_of(fitted, [&](const LawRow& row) {
    return row.law == *choice.chosen && row.status == RowStatus::kRejected;
  }));
  CHECK_THAT(choice.finding,
             Catch::StartsWith("chosen among the laws that apply, by the mean error") &&
                 Contains("; the trials reject " + law_name(*choice.chosen) +
                          " all the same, so it only approximates the curve"));
}

TEST_CASE("a chosen law without the least error says why it is chosen", "[analysis]") {
  // Amdahl's law with a serial fraction of 8 %, each count 2 % off (lognormal).
  const std::map<std::int64_t, double> times_s = {
      {1, 0.1026}, {2, 0.0531}, {4, 0.0311}, {8, 0.0187}, {16, 0.0137}};
  std::vector<CellObservation> cells;
  for (const auto& [devices, time_s] : times_s) {
    cells.push_back(observe_cell(make_cell(std::ssize(cells) + 1, devices, 64),
                                 {time_s * 1.001, time_s * 0.999, time_s * 1.002, time_s * 0.998}));
  }
  const LawChoiceRow choice =
      choose_laws(test::make_observation(cells, Scaling::kStrong), projected_study({16}), {}, {})
          .choices.at(0);

  CHECK(choice.chosen == Law::kAmdahl);
  CHECK_THAT(choice.finding,
             Catch::EndsWith("Amdahl's law 3.6 % (the universal scalability law 3.5 %); it has the "
                             "fewest parameters of the laws within one standard error of the least "
                             "error"));
}

TEST_CASE("a law that does not apply is not chosen", "[analysis]") {
  // On n devices 1/n^exponent of the time of one, +-`spread`.
  const auto choose = [](Scaling scaling, double exponent, double spread) {
    std::vector<CellObservation> cells;
    for (const std::int64_t devices : {1, 2, 4, 8, 16}) {
      const double time_s = 0.1 / std::pow(static_cast<double>(devices), exponent);
      CellRow row = scaling == Scaling::kWeak ? weak_cell(std::ssize(cells) + 1, devices)
                                              : make_cell(std::ssize(cells) + 1, devices, 64);
      cells.push_back(observe_cell(row,
                                   {time_s * (1.0 + spread),
                                    time_s * (1.0 - spread),
                                    time_s * (1.0 + 2.0 * spread),
                                    time_s * (1.0 - 2.0 * spread)}));
    }
    return choose_laws(test::make_observation(cells, scaling), projected_study({16}), {}, {});
  };
  const auto has_error = [](const LawChoices& choices, Law law) {
    return std::ranges::find(choices.errors, law, &LawRow::law) != choices.errors.end();
  };

  for (const double exponent : {1.05, -0.2}) {  // more than linear; slower with more devices
    const LawChoices strong = choose(Scaling::kStrong, exponent, 0.01);
    CHECK(strong.choices.at(0).chosen == Law::kUsl);
    const std::string& finding = strong.choices.at(0).finding;
    CHECK_THAT(
        finding,
        Catch::StartsWith("the only law that applies, by ") &&
            Catch::EndsWith("; Amdahl's law does not apply: its serial fraction is outside of 0 to "
                            "1") &&
            !Contains("chosen among"));
    CHECK_FALSE(has_error(strong, Law::kAmdahl));
  }
  const LawChoices weak = choose(Scaling::kWeak, 0.05, 0.01);
  CHECK(weak.choices.at(0).chosen);
  CHECK_FALSE(has_error(weak, Law::kGustafson));
  // Trials of 20 % do not show which side of linear 1/n^1.01 is on.
  CHECK(has_error(choose(Scaling::kStrong, 1.01, 0.2), Law::kAmdahl));
}
