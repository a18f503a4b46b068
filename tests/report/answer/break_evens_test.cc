// Break-evens and switch points as sentences.
#include "harness/report/answer/break_evens.h"

#include <optional>
#include <string>
#include <vector>

#include "harness/report/sections/sections.h"
#include "harness/store/crossing_text.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> texts_of(const std::vector<BreakEven>& said) {
  std::vector<std::string> texts;
  for (const BreakEven& one : said) {
    CHECK_FALSE(one.is_between);
    texts.push_back(one.text);
  }
  return texts;
}

TEST_CASE("a switch point names both settings, and no other curve's", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow row = input.results.thresholds.front();
  row.group_label = "batch_global=64 devices=2";
  row.along = "message_bytes";
  row.status = RowStatus::kCrossedDown;
  row.bracket_lo = 65536;
  row.bracket_hi = 262144;
  row.estimate = row.lo = row.hi = std::nullopt;
  row.pieces = {};
  row.open_values = {};
  row.cells.clear();
  for (const CellRow& cell : input.cells) {
    if (cell.role == CellRole::kMeasured && cell.devices == 2) {
      row.cells.push_back(cell.id);
    }
  }
  REQUIRE(!row.cells.empty());
  input.declared.analysis.thresholds = {
      {.metric = row.metric,
       .level = row.level,
       .along = row.along,
       .between =
           BetweenRequest{.name = "devices", .base = std::int64_t{1}, .other = std::int64_t{2}}}};
  input.results.thresholds = {row};

  const auto said = break_evens(input);
  REQUIRE(said.size() == 1);
  CHECK(said[0].is_between);
  CHECK(said[0].text ==
        "2 devices is faster up to message size 64 KiB, 1 device from message size 256 KiB on "
        "(batch 64)");
  CHECK(curve_text(input, row) == "2 devices against 1 device, batch 64");

  input.declared.analysis.thresholds[0].between->other = std::int64_t{4};
  CHECK_FALSE(break_evens(input).at(0).is_between);
}

TEST_CASE("crossings at two places are named, with the ends that the table has", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow& row = input.results.thresholds.front();
  row.status = RowStatus::kMultiple;
  row.bracket_lo = row.bracket_hi = row.estimate = std::nullopt;
  row.lo = 16.6036650243388;
  row.hi = 118.07391692454;
  row.pieces = {16.6036650243388, 25.2665078377104, 82.9067649365261, 118.07391692454};
  row.open_values = {};

  CHECK(texts_of(break_evens(input)) ==
        std::vector<std::string>{"speedup crosses 1x more than once, between global batch 16.6 and "
                                 "25.3, and between 82.9 and 118 (2 devices)"});
  CHECK(estimate_text(row) == "[16.6, 25.3] and [82.9, 118]");
  row.status = RowStatus::kUnresolved;  // it crosses at one of them, if at all
  CHECK(texts_of(break_evens(input)) ==
        std::vector<std::string>{"speedup may cross 1x between global batch 16.6 and 25.3, or "
                                 "between 82.9 and 118 (2 devices)"});
  CHECK(estimate_text(row) == "[16.6, 25.3] or [82.9, 118]");
  row.status = RowStatus::kMultiple;
  row.pieces = {};
  CHECK(texts_of(break_evens(input)) ==
        std::vector<std::string>{"speedup crosses 1x more than once along global batch (2 "
                                 "devices)"});
  row.open_values = {32.0};
  CHECK(texts_of(break_evens(input)) ==
        std::vector<std::string>{"speedup crosses 1x more than once along global batch; at 32 the "
                                 "gain is not certain (2 devices)"});

  row.status = RowStatus::kCrossed;  // not between tested values where the difference is certain
  row.estimate = 40.0;
  row.hi = 64.0;
  row.pieces = {16.6036650243388, 64.0};
  row.open_values = {32.0, 64.0};
  CHECK(estimate_text(row) == "40.0 [16.6, 64]");
  CHECK(crossing_text(row) ==
        "between global batch 16.6 and 64; best estimate 40.0; at 32 and 64 the gain is not "
        "certain");
}

TEST_CASE("a break-even counts the curves of its own metric and the values compared", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow row = input.results.thresholds.front();
  row.status = RowStatus::kNotReached;
  row.estimate = std::nullopt;
  input.results.thresholds = {row, row, row, row};
  for (std::size_t i = 0; i < 4; ++i) {
    input.results.thresholds[i].group_label = i % 2 == 0 ? "devices=2" : "devices=4";
    input.results.thresholds[i].metric = i < 2 ? "speedup" : "efficiency";
    input.results.thresholds[i].status = i == 3 ? RowStatus::kAlways : RowStatus::kNotReached;
    input.results.thresholds[i].tested_values = i == 3 ? 1 : 3;
  }
  row.level = 2.0;
  input.results.thresholds.push_back(row);
  CHECK(texts_of(break_evens(input)) ==
        std::vector<std::string>{
            "speedup stays below 1x at all 3 compared values of global batch (both curves)",
            "efficiency stays below 100 % at all 3 compared values of global batch (2 devices)",
            "efficiency is above 100 % at the one compared value of global batch (4 devices)",
            "speedup stays below 2x at all 3 compared values of global batch (2 devices)"});
}

TEST_CASE("break-evens of some curves name these, up to three", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow row = input.results.thresholds.front();
  row.status = RowStatus::kNotReached;
  row.estimate = std::nullopt;
  row.tested_values = 3;
  input.results.thresholds.clear();
  for (const char* devices : {"2", "4", "8", "16", "32", "64"}) {
    row.group_label = std::string("devices=") + devices;
    input.results.thresholds.push_back(row);
  }
  input.results.thresholds[0].status = input.results.thresholds[1].status = RowStatus::kAlways;
  CHECK(texts_of(break_evens(input)) ==
        std::vector<std::string>{
            "speedup is above 1x at all 3 compared values of global batch (2 devices; 4 devices)",
            "speedup stays below 1x at all 3 compared values of global batch (4 of 6 curves)"});

  input.results.thresholds.pop_back();
  CHECK_THAT(texts_of(break_evens(input)).back(), Contains(" (8 devices; 16 devices; 32 devices)"));
}

TEST_CASE("a level has one form in sentences and in the table", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow& row = input.results.thresholds.front();
  row.metric = "efficiency";
  row.level = 0.7;

  CHECK_THAT(texts_of(break_evens(input)).at(0), Contains("efficiency reaches 70 % "));
  const View table = list_of(build_view(input, {}), "thresholds").at(0);
  CHECK(text_of(list_of(table, "rows").at(0), "level") == "70 %");
}

TEST_CASE("a break-even that cannot be placed says why", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow& row = input.results.thresholds.front();
  row.status = RowStatus::kInvalidInput;
  row.estimate = std::nullopt;
  CHECK_THAT(texts_of(break_evens(input)).front(),
             Contains("speedup against 1x along global batch: the tested values must be positive "
                      "and differ"));
}

// Step times of the sample are up to 104 ms.
TEST_CASE("a level in the metric's unit has that of the metric's values", "[report]") {
  ReportInput input = test::read_sample();
  ThresholdRow& row = input.results.thresholds.front();
  row.metric = "step_time_s";
  row.level = 0.0005;
  input.declared.analysis.thresholds = {
      {.metric = row.metric, .level = row.level, .along = row.along, .is_relative = false}};

  CHECK_THAT(break_evens(input).at(0).text, Contains("step time reaches 0.5 ms between "));
  const View table = list_of(build_view(input, {}), "thresholds").at(0);
  CHECK(text_of(list_of(table, "rows").at(0), "level") == "0.5 ms");
}

}  // namespace
