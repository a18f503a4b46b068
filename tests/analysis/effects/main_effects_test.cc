// What a setting is worth over combinations of others, by hand.
#include "harness/analysis/effects/main_effects.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "harness/analysis/effects/crossed_cells.h"
#include "tests/analysis/compared_cells.h"

using namespace scalestudy;

namespace {

using Settings = std::map<std::string, std::string>;

// A cell of one device with these settings varied; the baseline is the one of "none" and "0".
CellObservation observe(std::int64_t id,
                        const Settings& settings,
                        const std::vector<double>& times_s) {
  CellRow cell = test::make_cell(id, 1, 64);
  cell.hash.clear();
  cell.parameters.clear();
  for (const auto& [name, value] : settings) {
    cell.parameters.push_back({name, value, ValueKind::kText, true});
    cell.hash += name + "=" + value + " ";
  }
  cell.baseline = "clip=0 overlap=none ";
  return test::observe_cell(cell, times_s);
}

Study study_of_settings() {
  Study study = test::make_study();
  study.analysis.baseline = {{"overlap", std::string("none")}, {"clip", std::string("0")}};
  return study;
}

std::vector<double> around(double mean) {
  return {0.99 * mean, 1.01 * mean, 0.98 * mean, 1.02 * mean, mean, mean};
}

// The other way round within blocks.
std::vector<double> against(double mean) {
  return {1.01 * mean, 0.99 * mean, 1.02 * mean, 0.98 * mean, mean, mean};
}

// As that, with two more blocks that differ.
std::vector<double> apart(double mean) {
  return {1.01 * mean, 0.99 * mean, 1.02 * mean, 0.98 * mean, 1.01 * mean, 0.99 * mean};
}

// Overlap halves the step without clipping and takes a fifth off with it.
std::vector<CellObservation> two_by_two() {
  return {observe(1, {{"overlap", "none"}, {"clip", "0"}}, around(8.0)),
          observe(2, {{"overlap", "none"}, {"clip", "1"}}, around(10.0)),
          observe(3, {{"overlap", "poll"}, {"clip", "0"}}, against(4.0)),
          observe(4, {{"overlap", "poll"}, {"clip", "1"}}, apart(8.0))};
}

std::vector<ComparisonRow> effects_of(std::vector<CellObservation> cells,
                                      const Study& study = study_of_settings()) {
  return main_effects(test::make_observation(std::move(cells), Scaling::kNone), study);
}

TEST_CASE("in a full factorial a setting has the geometric mean of its speedups", "[analysis]") {
  const auto rows = effects_of(two_by_two());

  // 8/4 = 2 and 10/8 = 1.25: sqrt(2.5). The pairs move by a/mean - b/mean: -0.02, 0.02, -0.04,
  // 0.04, 0, 0 and the same with -0.01, 0.01 at the end. Of the means by block the sd is 0.0284605,
  // the standard error 0.0116190, t(5) = 2.570582: a factor of exp(0.0298674) = 1.0303179.
  const ComparisonRow overlap = test::find(rows, "main_effect", 3);
  CHECK(overlap.baseline_cell_id == 1);
  CHECK(*overlap.value == Approx(1.5811388));
  CHECK(*overlap.lo == Approx(1.5811388 / 1.0303179).epsilon(1e-6));
  CHECK(*overlap.hi == Approx(1.5811388 * 1.0303179).epsilon(1e-6));
  CHECK(overlap.method == RatioMethod::kPaired);
  CHECK(overlap.n == 6);
  CHECK(overlap.verdict == Verdict::kFaster);
  CHECK(overlap.remark == "2 values of clip");
  CHECK(overlap.trials.size() == 12);
  CHECK(*overlap.family_size == 2);

  // 8/10 and 4/8: sqrt(0.4).
  CHECK(*test::find(rows, "main_effect", 2).value == Approx(0.6324555));
  CHECK(test::find(rows, "main_effect", 2).verdict == Verdict::kSlower);
}

TEST_CASE("an effect that depends on another setting is told with where", "[analysis]") {
  std::vector<CellObservation> cells = two_by_two();
  const auto rows = effects_of(cells);

  const ComparisonRow depends = test::find(rows, "interaction", 3);
  CHECK(*depends.value == Approx(1.6));  // 2 over 1.25
  CHECK(depends.verdict == Verdict::kFaster);
  CHECK(depends.remark == "yes: 2.000x with clip 0, 1.250x with clip 1");
  CHECK(*depends.family_size == 2);  // of two pairs one comparison each

  cells[3] = observe(4, {{"overlap", "poll"}, {"clip", "1"}}, {5.0, 5.1, 4.9, 5.2, 4.8, 5.1});
  const ComparisonRow alike = test::find(effects_of(cells), "interaction", 3);
  CHECK(alike.verdict == Verdict::kNoDetectableDifference);
  CHECK(alike.remark == "not detected (1.993x to 2.000x)");  // 10 over 30.1 / 6

  // 8/4 and 10/5: the same.
  cells[3] = observe(4, {{"overlap", "poll"}, {"clip", "1"}}, {5.0, 5.1, 4.9, 5.2, 4.8, 5.0});
  CHECK(test::find(effects_of(cells), "interaction", 3).remark == "not detected (2.000x)");
}

TEST_CASE("a design that changes one setting at a time has no main effects", "[analysis]") {
  std::vector<CellObservation> star = two_by_two();
  star.pop_back();
  CHECK(effects_of(star).empty());

  // Nor do two pairs that differ in two other settings at once.
  std::vector<CellObservation> diagonal;
  std::int64_t id = 1;
  for (const char* overlap : {"none", "poll"}) {
    diagonal.push_back(
        observe(id++, {{"overlap", overlap}, {"clip", "0"}, {"topk", "0"}}, around(8.0)));
    diagonal.push_back(
        observe(id++, {{"overlap", overlap}, {"clip", "1"}, {"topk", "1"}}, around(9.0)));
  }
  for (CellObservation& cell : diagonal) {
    cell.row.baseline = diagonal.front().row.hash;
  }
  CHECK(effects_of(diagonal).empty());
}

TEST_CASE("pairs that make no claim are no part of an effect", "[analysis]") {
  std::vector<CellObservation> cells = two_by_two();
  cells[3].row.oversubscribed = true;
  CHECK(effects_of(cells).empty());
}

TEST_CASE("a cell whose trials all failed takes no other pair with it", "[analysis]") {
  std::vector<CellObservation> cells = two_by_two();
  cells.push_back(observe(5, {{"overlap", "none"}, {"clip", "2"}}, around(9.0)));
  cells.push_back(observe(6, {{"overlap", "poll"}, {"clip", "2"}}, around(9.0)));
  cells.back().trials.clear();
  const auto rows = effects_of(cells);

  const ComparisonRow effect = test::find(rows, "main_effect", 3);
  CHECK(*effect.value == Approx(std::sqrt(2.0 * 1.25)));
  CHECK(effect.lo.has_value());
  CHECK(std::ranges::none_of(rows, [](const ComparisonRow& row) { return row.cell_id == 5; }));
}

TEST_CASE("devices and batches are no settings, and few blocks are independent", "[analysis]") {
  std::vector<CellObservation> cells = two_by_two();
  for (CellObservation& cell : cells) {
    cell.trials.resize(3);
  }
  const auto few = effects_of(cells);
  CHECK(test::find(few, "main_effect", 3).method == RatioMethod::kIndependent);
  CHECK(test::find(few, "main_effect", 3).n == 6);  // three trials of each of two cells

  std::vector<CellObservation> devices = two_by_two();
  for (CellObservation& cell : devices) {
    for (CellRow::Parameter& parameter : cell.row.parameters) {
      parameter.name = parameter.name == "overlap" ? "devices" : parameter.name;
    }
  }
  Study study = study_of_settings();
  study.analysis.baseline = {{"devices", std::string("none")}, {"clip", std::string("0")}};
  const auto rows = effects_of(devices, study);
  REQUIRE(rows.size() == 2);  // of clip alone
  CHECK(rows[0].cell_id == 2);
}

// As in a study that excludes what cannot be together: topk with bf16.
TEST_CASE("an effect is over all combinations that lead to each other", "[analysis]") {
  std::vector<CellObservation> cells;
  std::int64_t id = 1;
  for (const char* clip : {"0", "1"}) {
    for (const Settings& others : {Settings{{"type", "fp32"}, {"topk", "0"}},
                                   Settings{{"type", "fp32"}, {"topk", "1"}},
                                   Settings{{"type", "bf16"}, {"topk", "0"}}}) {
      Settings settings = others;
      settings["clip"] = clip;
      cells.push_back(observe(id++, settings, around(8.0)));
    }
  }
  for (CellObservation& cell : cells) {
    cell.row.baseline = cells.front().row.hash;
  }
  Study study = study_of_settings();
  const auto observation = test::make_observation(std::move(cells), Scaling::kNone);
  const auto crossed = find_crossed_cells(observation, study);

  REQUIRE(crossed.size() == 1);
  CHECK(crossed[0].axis == "clip");
  CHECK(crossed[0].pairs.size() == 3);
  CHECK(crossed[0].pairs[0].base->row.id == 1);
  CHECK(crossed[0].pairs[0].cell->row.id == 4);
}

}  // namespace
