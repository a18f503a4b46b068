// The largest batch that fits, on the first screen.
#include "harness/report/answer/search_answer.h"

#include <algorithm>
#include <string>

#include "harness/report/answer/pairs.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/view.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

// Batches per device with how many of how many trials fitted.
ReportInput tried(const std::vector<std::tuple<std::int64_t, int, int>>& batches) {
  ReportInput input;
  input.study.scaling = Scaling::kWeak;
  input.declared.workload = Workload::kTrain;
  input.declared.largest = LargestFit{.axis = "batch_per_device", .up_to = 128};
  for (const auto& [batch, fitted, n] : batches) {
    CellRow& cell = input.cells.emplace_back();
    cell.id = std::ssize(input.cells);
    cell.hash = std::to_string(cell.id);
    cell.batch_per_device = batch;
    cell.parameters = {{"batch_per_device", std::to_string(batch), ValueKind::kInteger, true}};
    EstimateRow& row = input.results.estimates.emplace_back();
    row.cell_id = cell.id;
    row.metric = "fit_share";
    row.unit = "1";
    row.value = static_cast<double>(fitted) / n;
    row.lo = 0.549;
    row.hi = 1.0;
    row.n = n;
  }
  input.make_index();
  return input;
}

std::string sentence(const std::vector<std::tuple<std::int64_t, int, int>>& batches) {
  const std::vector<Answer> all = largest_fits(tried(batches));
  REQUIRE(all.size() == 1);
  CHECK(all[0].about == "Largest that fits");
  return all[0].sentence;
}

TEST_CASE("the largest batch that fits is said with how sure that is", "[report]") {
  CHECK(sentence({{128, 0, 1}, {8, 5, 5}, {96, 5, 5}, {97, 2, 3}}) ==
        "batch 96 per device: 5 of 5 trials fit, so at least 54.9 % of launches do (95 % "
        "confidence for this batch alone); "
        "97 did not fit in 1 of 3 trials");
}

TEST_CASE("where nothing fails, or all, that is what is known", "[report]") {
  CHECK(sentence({{8, 5, 5}, {128, 5, 5}}) ==
        "batch 128 per device: 5 of 5 trials fit, so at least 54.9 % of launches do (95 % "
        "confidence for this batch alone); nothing above batch 128 per device was tried");
  CHECK(sentence({{8, 0, 3}}) ==
        "none of the batches that were tried; 8 did not fit in 3 of 3 trials");
}

TEST_CASE("a batch that failed for another reason is not called too large", "[report]") {
  ReportInput input = tried({{8, 5, 5}, {16, 0, 1}});
  TrialRow& trial = input.trials.emplace_back();
  trial.cell_id = 2;
  trial.state = TrialState::kFailed;
  CHECK(largest_fits(input).at(0).sentence.ends_with(
      "; 16 failed in 1 of 1 trial, without a sign that memory ran out"));
  input.trials.push_back(trial);
  input.trials.back().state = TrialState::kOom;
  CHECK(largest_fits(input).at(0).sentence.ends_with(
      "; 16 failed in 1 of 1 trial, not always with a sign that memory ran out"));
}

TEST_CASE("what does not always fit is in the table with its trials, and no answer", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.largest = LargestFit{.axis = "batch_global", .up_to = 1024};
  for (const CellRow& cell : input.cells) {
    EstimateRow& row = input.results.estimates.emplace_back();
    row.cell_id = cell.id;
    row.metric = "fit_share";
    row.unit = "1";
    row.value = cell.devices == 4 && cell.batch_global == 1024 ? 0.9 : 1.0;
    row.n = 10;
  }
  input.make_index();

  std::string fits;
  for (const View& table : list_of(build_view(input, {}), "cells")) {
    for (const View& row : list_of(table, "rows")) {
      fits += text_of(row, "fits") + " ";
    }
  }
  CHECK(fits == "10/10 10/10 10/10 10/10 10/10 10/10 10/10 10/10 9/10 ");
  const std::vector<Answer> all = answers(input, pairs_of(input));
  const auto of_four = std::ranges::find(all, "4 devices against 1 device", &Answer::about);
  REQUIRE(of_four != all.end());
  CHECK(of_four->sentence ==
        "it depends: faster in 1, slower in 1 of 2 pairs; 1.917x [1.821, 2.012] at batch 256, but "
        "0.875x [0.831, 0.919] at batch 64");
}

TEST_CASE("another study has no largest batch", "[report]") {
  ReportInput input = tried({{8, 5, 5}});
  input.declared.largest.reset();
  CHECK(largest_fits(input).empty());
}

}  // namespace
