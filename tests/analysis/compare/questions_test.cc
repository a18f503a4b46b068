// One decision for a comparison at a level, whichever sentence asks for it.
#include "harness/analysis/compare/questions.h"

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/compare/comparisons.h"
#include "harness/analysis/compare/targets.h"
#include "harness/analysis/thresholds/thresholds.h"
#include "tests/analysis/compared_cells.h"

using namespace scalestudy;
using test::find;
using test::make_cell;
using test::observe_cell;

namespace {

// Eight trials around a time, with a spread of about 3 % that two such cells do not share.
std::vector<double> times_around(double time_s, bool is_other) {
  const std::vector<double> one = {0.97, 1.02, 1.03, 0.98, 1.01, 1.04, 0.96, 0.99};
  const std::vector<double> other = {1.03, 0.98, 0.99, 1.04, 0.96, 1.01, 1.02, 0.97};
  std::vector<double> times_s;
  for (const double part : is_other ? other : one) {
    times_s.push_back(time_s * part);
  }
  return times_s;
}

// One and two devices at batches of 16, 32 ... with these speedups.
StudyObservation study_of(const std::vector<double>& speedups) {
  std::vector<CellObservation> cells;
  for (std::size_t i = 0; i < speedups.size(); ++i) {
    const auto id = static_cast<std::int64_t>(2 * i + 1);
    const std::int64_t batch = 16LL << i;
    cells.push_back(observe_cell(make_cell(id, 1, batch), times_around(0.1, false)));
    cells.push_back(
        observe_cell(make_cell(id + 1, 2, batch), times_around(0.1 / speedups[i], true)));
  }
  return test::make_observation(std::move(cells), Scaling::kStrong);
}

Study asking(const std::vector<double>& target_levels) {
  Study study = test::make_study();
  study.analysis.thresholds = {{.metric = "speedup", .level = 1.0, .along = "batch_global"}};
  for (const double level : target_levels) {
    study.analysis.targets.push_back({.name = "at least " + std::to_string(level),
                                      .metric = "speedup",
                                      .where = {},
                                      .at_least = level,
                                      .at_most = {}});
  }
  return study;
}

}  // namespace

// ln(mean a / mean b) has a standard error of 0.0178 on 7 degrees of freedom. Alone 1.048 and 1.045
// are resolved at 5 % (p = 0.034 and 0.043); with three of five rejected that takes 2.5 %.
TEST_CASE("verdict, break-even and target at one level are one decision", "[analysis]") {
  const StudyObservation observation = study_of({0.7, 0.8, 1.048, 1.045, 1.6});
  const Study study = asking({1.0});
  Results results;
  results.comparisons = compare_cells(observation, study);
  const ThresholdRow row = find_thresholds(observation, study).at(0);
  const auto targets = judge_targets(observation, study, results);

  int open = 0;
  for (const std::int64_t id : {2, 4, 6, 8, 10}) {
    const ComparisonRow verdict = find(results.comparisons, "speedup", id);
    const bool is_open = verdict.verdict == Verdict::kNoDetectableDifference;
    const double x = 16 << (id / 2 - 1);
    INFO(id << ": p = " << *verdict.p_value);
    CHECK((*verdict.p_value < *verdict.alpha_star) == !is_open);
    CHECK(std::ranges::count(row.open_values, x) == (is_open ? 1 : 0));
    const auto target = std::ranges::find(targets, std::optional(id), &TargetResultRow::cell_id);
    CHECK((target->verdict == TargetVerdict::kUndecided) == is_open);
    CHECK(target->alpha_star == verdict.alpha_star);
    open += is_open ? 1 : 0;
  }
  CHECK(open == 2);
  CHECK(row.alpha_star == Approx(0.05 / 2.0));
  CHECK(row.family_size == 5);
  CHECK(row.rejected == 3);
  // 64 and 128 are open, so that the break-even may lie anywhere between 32 and 256.
  CHECK(row.bracket_lo == 32.0);
  CHECK(row.bracket_hi == 256.0);
  CHECK(row.pieces.size() >= 2);
}

TEST_CASE("what is above a level is above every smaller one", "[analysis]") {
  const StudyObservation observation = study_of({0.7, 0.97, 1.03, 1.10, 1.25, 1.6});
  const Study study = asking({0.9, 1.05, 1.2});
  const std::vector<Question> questions = ask("speedup", observation, study);

  REQUIRE(questions.size() == 4);
  int last = 0;
  for (const std::int64_t id : {2, 4, 6, 8, 10, 12}) {
    for (std::size_t i = 1; i < questions.size(); ++i) {
      CHECK(questions[i].cells.at(id).sign <= questions[i - 1].cells.at(id).sign);
    }
    last = questions.back().cells.at(id).sign;
  }
  CHECK(last == 1);
  CHECK(at_level(questions, 1.0).level == 1.0);
  CHECK_THROWS(at_level(questions, 3.0));
}

// Against 1 all four are rejected (p = 0.036 and three times 0.0096), so that 0.955 takes 5 %;
// against 1.012 none is (p = 0.014 and three times 0.024, of which the least takes 1.25 %).
TEST_CASE("what the verdict has resolved is resolved at every level beyond", "[analysis]") {
  const StudyObservation observation = study_of({0.955, 1.065, 1.065, 1.065});
  const std::vector<Question> questions = ask("speedup", observation, asking({1.012}));

  CHECK(at_level(questions, 1.0).cells.at(2).sign == -1);
  CHECK(at_level(questions, 1.012).resolution.rejected == 0);
  CHECK(at_level(questions, 1.012).cells.at(2).sign == -1);
  CHECK(at_level(questions, 1.012).cells.at(4).sign == 0);
}

// Against 1.1 both are rejected, so that the second's p of 0.045 takes 5 %; against 1 neither is,
// and its p of 0.04 takes 2.5 %.
TEST_CASE("what is open at a smaller level is open at a greater one", "[analysis]") {
  const auto p = [](double at_one, double at_more) {
    return [=](double level) { return std::optional(level > 1.0 ? at_more : at_one); };
  };
  const std::vector<Member> members = {{.cell_id = 1, .value = 0.99, .p = p(0.5, 0.001)},
                                       {.cell_id = 2, .value = 1.2, .p = p(0.04, 0.045)}};
  const std::vector<Question> questions = ask(members, {1.0, 1.1}, 0.05);

  CHECK(at_level(questions, 1.1).resolution.rejected == 2);
  CHECK(at_level(questions, 1.1).cells.at(1).sign == -1);
  CHECK(at_level(questions, 1.0).cells.at(2).sign == 0);
  CHECK(at_level(questions, 1.1).cells.at(2).sign == 0);
}

TEST_CASE("values that a search may still add are allowed for from the first look on",
          "[analysis]") {
  const StudyObservation observation = study_of({0.7, 0.8, 1.2, 1.5, 1.6});
  Study study = asking({});
  CHECK(verdict_rule("speedup", observation, study).more == 0);

  study.analysis.thresholds[0].refine = RefineRequest{};  // 8 cells: 4 values with their bases

  CHECK(verdict_rule("speedup", observation, study).more == 4);
  CHECK(verdict_rule("efficiency", observation, study).more == 0);
  CHECK(*find(compare_cells(observation, study), "speedup", 2).family_size == 9);
  CHECK(find_thresholds(observation, study).at(0).family_size == 9);
}
