// What is recommended where the base has no ok trial.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/choice.h"
#include "harness/report/answer/pairs.h"
#include "tests/report/answer/best.h"
#include "tests/report/answer/of_two.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using test::add_best;
using enum Verdict;

namespace {

// The base of that batch has no ok trial, so no cell of the batch has a speedup.
void lose_base(ReportInput& input, std::int64_t batch, Verdict verdict) {
  const auto is_base = [&](std::int64_t id) {
    return input.cell(id).devices == 1 && input.cell(id).batch_global == batch;
  };
  std::erase_if(input.results.estimates,
                [&](const EstimateRow& row) { return is_base(row.cell_id); });
  std::erase_if(input.results.comparisons, [&](const ComparisonRow& row) {
    return input.cell(row.cell_id).batch_global == batch && row.quantity != "speedup";
  });
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "speedup" && is_base(row.baseline_cell_id)) {
      row.value = row.lo = row.hi = std::nullopt;
      row.verdict = verdict;
    }
  }
  input.make_index();
}

// All trials of that batch ended so.
void lose_all(ReportInput& input, std::int64_t batch, TrialState state) {
  const auto is_lost = [&](std::int64_t id) { return input.cell(id).batch_global == batch; };
  for (TrialRow& trial : input.trials) {
    trial.state = is_lost(trial.cell_id) ? state : trial.state;
  }
  std::erase_if(input.results.estimates,
                [&](const EstimateRow& row) { return is_lost(row.cell_id); });
  std::erase_if(input.results.comparisons, [&](const ComparisonRow& row) {
    return is_lost(row.cell_id) && row.quantity != "speedup";
  });
  for (ComparisonRow& row : input.results.comparisons) {
    if (is_lost(row.cell_id)) {
      row.value = row.lo = row.hi = std::nullopt;
      row.verdict = state == TrialState::kOom ? kOutOfMemory : kFailed;
    }
  }
  input.make_index();
}

}  // namespace

TEST_CASE("a batch at which all cells were lost says so, also at an end", "[report]") {
  const auto said = [](const ReportInput& input) {
    return choices(input, pairs_of(input)).front().sentence;
  };
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kSlower);
  ReportInput between = input;
  lose_all(between, 256, TrialState::kFailed);
  CHECK(said(between) ==
        "4 devices at batch 64, 4 devices at batch 1024; at batch 256: all failed");

  lose_all(input, 64, TrialState::kOom);
  CHECK(said(input) == "4 devices at batch 256 to 1024; at batch 64: all ran out of memory");
  const auto lost = std::ranges::find_if(input.trials, [&](const TrialRow& trial) {
    return input.cell(trial.cell_id).batch_global == 64 && !trial.superseded;
  });
  REQUIRE(lost != input.trials.end());
  lost->state = TrialState::kTimeout;
  CHECK(said(input) == "4 devices at batch 256 to 1024; at batch 64: all failed");
  lost->state = TrialState::kPlanned;
  CHECK(said(input) == "4 devices at every compared value (batch 256 to 1024)");
}

TEST_CASE("what is used at all values is named once, also if one lost its base", "[report]") {
  ReportInput input = test::sample_of_two({kFaster, kFaster, kFaster}, {kSlower, kSlower, kSlower});
  lose_base(input, 256, kBaseOutOfMemory);
  const Answer use = test::choices_of_two(input).front();
  CHECK(use.about == "Use (fastest)");
  CHECK(use.sentence ==
        "2 devices at batch 64 to 1024 (at batch 256 not compared, as 1 device ran out of memory)");
}

TEST_CASE("where the base failed, that is said, and what is left", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kSlower);
  lose_base(input, 64, kBaseOutOfMemory);
  const auto said = [&] { return choices(input, pairs_of(input)).front(); };
  CHECK(said().about == "Use (fastest)");
  CHECK(said().sentence ==
        "4 devices at batch 256 to 1024; at batch 64: no comparison, as 1 device ran out of "
        "memory");
  const std::vector<Pair> pairs = pairs_of(input);
  REQUIRE(pairs.front().where == "batch 64");
  CHECK(uses(input, pairs).at(pairs.front().cell->id) == "base out of memory");

  ReportInput limited = input;  // to what only that batch keeps
  limited.declared.analysis.within = {{"training_hours", false, 72.0}};
  for (const CellRow& cell : limited.cells) {
    TargetResultRow& row = limited.results.targets.emplace_back();
    row.metric = "training_hours";
    row.name = limit_name(row.metric);
    row.cell_id = cell.id;
    row.verdict =
        cell.batch_global == 64 && cell.devices > 1 ? TargetVerdict::kMet : TargetVerdict::kMissed;
  }
  const Answer within = choices(limited, pairs_of(limited)).front();
  CHECK(within.about == "Use (fastest within 72 h)");
  CHECK(within.sentence ==
        "at batch 64: 2 devices or 4 devices keep the limits; not compared, as 1 device ran out of "
        "memory; at batch 256 to 1024: no setting is certain to keep the limits");

  // Of the others at batch 64 only 2 devices ran.
  ComparisonRow& lost =
      *std::ranges::find_if(input.results.comparisons, [&](const ComparisonRow& row) {
        return input.cell(row.cell_id).batch_global == 64 && input.cell(row.cell_id).devices == 4;
      });
  lost.verdict = kFailed;
  std::erase_if(input.results.estimates,
                [&](const EstimateRow& row) { return row.cell_id == lost.cell_id; });
  input.make_index();
  const std::string alone = "2 devices (not compared, as 1 device ran out of memory)";
  CHECK(said().sentence == alone + " at batch 64; 4 devices at batch 256 to 1024");
  CHECK(uses(input, pairs_of(input)).at(pairs.front().cell->id) == alone);
}

TEST_CASE("the best of what a lost base left is named, and that the base was lost", "[report]") {
  ReportInput lost = test::read_sample();
  for (const std::int64_t batch : {64, 256, 1024}) {
    lose_base(lost, batch, kBaseOutOfMemory);
  }
  ReportInput input = lost;
  add_best(input, "fastest", {4, 4, 4}, kSlower);
  add_best(input, "cheapest", {4, 4, 4}, kWorse);
  const std::string four = "4 devices (compared without the base, as 1 device ran out of memory)";
  const std::vector<Pair> pairs = pairs_of(input);
  const Answer use = choices(input, pairs).front();
  CHECK(use.about == "Use (fastest and cheapest)");
  CHECK(use.sentence == four + " at batch 64 to 1024");
  CHECK(uses(input, pairs).at(pairs.front().cell->id) == four);

  add_best(lost, "fastest", {4, 4, 4}, kNoDetectableDifference);
  CHECK(choices(lost, pairs_of(lost)).front().sentence ==
        "2 devices or 4 devices (no significant difference, compared without the base, as 1 device "
        "ran out of memory)");

  ReportInput once = test::read_sample();
  lose_base(once, 256, kBaseFailed);
  add_best(once, "fastest", {4, 4, 4}, kSlower);
  CHECK(choices(once, pairs_of(once)).front().sentence ==
        "4 devices at batch 64 to 1024 (at batch 256 compared without the base, as 1 device "
        "failed)");
}

TEST_CASE("what is left of a lost base and cannot be judged has no verdict", "[report]") {
  ReportInput input = test::read_sample();
  for (const std::int64_t batch : {64, 256, 1024}) {
    lose_base(input, batch, kBaseFailed);
  }
  add_best(input, "fastest", {4, 4, 4}, kNotEnoughData);
  const std::vector<Pair> pairs = pairs_of(input);
  const std::string none = "no verdict (compared without the base, as 1 device failed)";
  CHECK(choices(input, pairs).front().sentence == none);
  CHECK(uses(input, pairs).at(pairs.front().cell->id) == none);
}

TEST_CASE("what is left alone is not called compared, nor the cheapest", "[report]") {
  ReportInput input = test::read_sample();
  std::erase_if(input.results.estimates,
                [&](const EstimateRow& row) { return input.cell(row.cell_id).devices == 4; });
  for (const std::int64_t batch : {64, 256, 1024}) {
    lose_base(input, batch, kBaseFailed);
  }
  const std::vector<Answer> all = choices(input, pairs_of(input));
  REQUIRE(all.size() == 1);
  CHECK(all[0].about == "Use (fastest)");
  CHECK(all[0].sentence == "2 devices (not compared, as 1 device failed) at batch 64 to 1024");
}

TEST_CASE("a study whose base always failed says so instead of nothing", "[report]") {
  ReportInput input = test::read_sample();
  for (const std::int64_t batch : {64, 256, 1024}) {
    lose_base(input, batch, kBaseFailed);
  }
  const std::vector<Answer> all = choices(input, pairs_of(input));
  REQUIRE(all.size() == 1);
  CHECK(all[0].about == "Use (fastest)");
  CHECK(all[0].sentence == "no comparison, as 1 device failed");
}
