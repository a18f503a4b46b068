// What the first screen recommends, from verdicts.
#include "harness/report/answer/choice.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/pairs.h"
#include "tests/report/answer/best.h"
#include "tests/report/answer/of_two.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using test::add_best;
using test::of_two;

namespace {

using enum Verdict;

// A fourth number of devices at each batch, which shares no block with the base.
void add_eight(ReportInput& input) {
  const std::vector<CellRow> cells = input.cells;
  for (CellRow cell : cells) {
    if (cell.role != CellRole::kMeasured || cell.devices != 4) {
      continue;
    }
    ComparisonRow speedup = *input.comparison(cell.id, "speedup");
    cell.id += 100;
    cell.hash += "-eight";
    cell.devices = 8;
    std::ranges::find(cell.parameters, "devices", &CellRow::Parameter::name)->value = "8";
    speedup.cell_id = cell.id;
    speedup.value = speedup.lo = speedup.hi = std::nullopt;
    speedup.verdict = kNotEnoughData;
    input.cells.push_back(cell);
    input.results.comparisons.push_back(speedup);
  }
  input.make_index();
}

TEST_CASE("a difference within the noise recommends nothing", "[report]") {
  const auto found =
      of_two({kSlower, kNoDetectableDifference, kFaster}, {kSlower, kSlower, kSlower});

  CHECK(found[0].sentence ==
        "1 device at batch 64, 2 devices at batch 1024; at batch 256: no significant difference");
}

TEST_CASE("of what is as fast within the margin the smallest is named", "[report]") {
  const auto found = of_two({kEquivalent, kEquivalent, kFaster}, {kSlower, kSlower, kSlower});

  REQUIRE(found.size() == 3);
  CHECK(found[0].sentence ==
        "1 device or 2 devices (alike within 2 %) at batch 64 to 256, 2 devices at batch 1024");
  CHECK(found[2].about == "Smallest within 2 % of the fastest");
  CHECK(found[2].sentence == "1 device at batch 64 to 256, 2 devices at batch 1024");
}

// At 1024 one more is not excluded after adjustment, so that the smallest is open where the fastest
// is told.
TEST_CASE("the smallest is told only where another is chosen than the fastest", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kSlower);
  const auto has_smallest = [&] {
    const auto found = choices(input, pairs_of(input));
    CHECK(found.front().kind == AnswerKind::kUse);
    return std::ranges::find(found, AnswerKind::kSmallest, &Answer::kind) != found.end();
  };
  CHECK_FALSE(has_smallest());

  const auto row_of = [&](std::int64_t batch) -> ComparisonRow& {
    return *std::ranges::find_if(input.results.comparisons, [&](const ComparisonRow& row) {
      const CellRow& cell = input.cell(row.cell_id);
      return row.quantity == "fastest" && cell.batch_global == batch && cell.devices == 2;
    });
  };
  ComparisonRow& open = row_of(1024);
  open.verdict = kNoDetectableDifference;
  open.value = 0.9;
  open.lo = 0.85;
  open.hi = 0.95;
  CHECK_FALSE(has_smallest());

  row_of(64).verdict = kEquivalent;
  REQUIRE(has_smallest());
  const std::vector<Answer> found = choices(input, pairs_of(input));
  CHECK(std::ranges::find(found, AnswerKind::kSmallest, &Answer::kind)->sentence ==
        "2 devices at batch 64, 4 devices at batch 256; at batch 1024: no significant difference");
}

TEST_CASE("of three numbers of devices the best is what the others were compared with",
          "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {1, 4, 4}, kSlower);
  add_best(input, "cheapest", {1, 1, 1}, kWorse);

  const auto found = choices(input, pairs_of(input));

  REQUIRE(found.size() == 2);
  CHECK(found[0].sentence == "1 device at batch 64, 4 devices at batch 256 to 1024");
  CHECK(found[1].sentence == "1 device at every compared value (batch 64 to 1024)");
}

TEST_CASE("each row of a table is told to use what the first screen chooses for its value",
          "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {1, 4, 4}, kSlower);
  const auto said = [&](std::int64_t batch) {
    std::vector<std::string> texts;
    for (const auto& [cell, text] : uses(input, pairs_of(input))) {
      if (input.cell(cell).batch_global == batch) {
        texts.push_back(text);
      }
    }
    return texts;
  };
  const auto thrice = [](const std::string& text) { return std::vector(3, text); };
  CHECK(choices(input, pairs_of(input))[0].sentence ==
        "1 device at batch 64, 4 devices at batch 256 to 1024");
  CHECK(said(64) == thrice("1 device"));
  CHECK(said(256) == thrice("4 devices"));  // 2 devices are faster than the base, too

  for (ComparisonRow& row : input.results.comparisons) {
    const CellRow& cell = input.cell(row.cell_id);
    if (row.quantity == "fastest" && cell.batch_global == 256 && cell.devices == 2) {
      row.verdict = kNoDetectableDifference;
    }
    if (row.quantity == "speedup" && cell.batch_global == 1024) {
      row.verdict = kNotEnoughData;
    }
  }
  CHECK(said(256) == thrice("2 devices or 4 devices (no significant difference)"));
  CHECK(said(1024) == std::vector<std::string>(2, "not enough data"));

  input.declared.search.emplace();  // which recommends by a rule of its own
  CHECK(said(256) == std::vector<std::string>{"2 devices", "4 devices"});
}

TEST_CASE("of two cells the row of the pair alone says what to use", "[report]") {
  const ReportInput input = test::read_sample();
  std::vector<Pair> pairs = pairs_of(input);
  std::erase_if(pairs, [](const Pair& pair) { return pair.cell->devices != 2; });

  std::vector<std::string> texts;
  for (const auto& [cell, text] : uses(input, pairs)) {
    texts.push_back(text);
  }
  CHECK(texts == std::vector<std::string>{"1 device", "2 devices", "2 devices"});
}

// Naming all cells would say nothing.
TEST_CASE("where no cell of three is excluded as the best, none is named", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kNoDetectableDifference);

  CHECK(std::ranges::none_of(choices(input, pairs_of(input)),
                             [](const Answer& answer) { return answer.kind == AnswerKind::kUse; }));
  CHECK(why_no_use(input, pairs_of(input)).empty());  // all verdicts are there, and leave it open
}

TEST_CASE("a cell that is as fast as its base is called so where the best is open", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kNoDetectableDifference);
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "speedup") {
      const bool is_of_two = input.cell(row.cell_id).devices == 2;
      row.verdict = is_of_two ? kEquivalent : kNoDetectableDifference;
    }
  }
  for (const auto& [cell, text] : uses(input, pairs_of(input))) {
    CHECK(text ==
          (input.cell(cell).devices == 2 ? "1 device (as fast)" : "no significant difference"));
  }
}

TEST_CASE("every cell that is not excluded as the best is named", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kEquivalent);
  const auto said = [&] { return choices(input, pairs_of(input)).front().sentence; };
  const auto judge = [&](std::int64_t devices, Verdict verdict) {
    for (ComparisonRow& row : input.results.comparisons) {
      if (row.quantity == "fastest" && input.cell(row.cell_id).devices == devices) {
        row.verdict = verdict;
      }
    }
  };
  const std::string everywhere = " at every compared value (batch 64 to 1024)";
  CHECK(said() == "1 device, 2 devices or 4 devices (alike within 2 %)" + everywhere);

  judge(1, kSlower);
  judge(2, kNoDetectableDifference);
  CHECK(said() == "2 devices or 4 devices (no significant difference)" + everywhere);
}

TEST_CASE("what only adjustment keeps from being excluded is counted, not named", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kSlower);
  const auto judge = [&](std::int64_t devices, double hi, double lo = 0.6) {
    for (ComparisonRow& row : input.results.comparisons) {
      if (row.quantity == "fastest" && input.cell(row.cell_id).devices == devices) {
        row.verdict = kNoDetectableDifference;
        row.lo = lo;
        row.hi = hi;
      }
    }
  };
  const auto said = [&] {
    const std::vector<Answer> found = choices(input, pairs_of(input));
    return found.empty() || found[0].kind != AnswerKind::kUse ? "" : found[0].sentence;
  };
  const std::string everywhere = " at every compared value (batch 64 to 1024)";
  judge(2, 0.9);
  CHECK(said() == "4 devices (1 more not excluded after adjustment)" + everywhere);
  for (const auto& [cell, text] : uses(input, pairs_of(input))) {
    CHECK(text == "4 devices (1 more not excluded after adjustment)");
  }
  judge(2, 1.1);
  CHECK(said() == "2 devices or 4 devices (no significant difference)" + everywhere);
  judge(2, 1.1, 1.02);  // by itself faster than the best
  CHECK(said() == "2 devices or 4 devices (no significant difference)" + everywhere);

  judge(1, 0.9);  // then no cell of three is excluded
  CHECK(said().empty());
  judge(2, 0.9);
  CHECK(said().empty());

  // With 8 devices, which are excluded.
  input = test::read_sample();
  add_eight(input);
  add_best(input, "fastest", {4, 4, 4}, kSlower);
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "speedup" && input.cell(row.cell_id).devices == 8) {
      row.value = 2.0;
      row.verdict = kFaster;
    }
  }
  judge(1, 0.9);
  judge(2, 1.1);
  CHECK(said() ==
        "2 devices or 4 devices (no significant difference, 1 more not excluded after "
        "adjustment)" +
            everywhere);
  judge(2, 0.9);
  CHECK(said() == "4 devices (2 more not excluded after adjustment)" + everywhere);
}

TEST_CASE("the cheapest has a line of its own where fewer cells are open than as the fastest",
          "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kSlower);
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "fastest" && input.cell(row.cell_id).devices == 2) {
      row.verdict = kNoDetectableDifference;
      row.lo = 0.6;
      row.hi = 0.9;
    }
  }
  add_best(input, "cheapest", {4, 4, 4}, kWorse);
  const std::string everywhere = " at every compared value (batch 64 to 1024)";

  const std::vector<Answer> found = choices(input, pairs_of(input));

  REQUIRE(found.size() >= 2);
  CHECK(found[0].about == "Use (fastest)");
  CHECK(found[0].sentence == "4 devices (1 more not excluded after adjustment)" + everywhere);
  CHECK(found[1].kind == AnswerKind::kCheapest);
  CHECK(found[1].sentence == "4 devices" + everywhere);
}

// Whose throughput may be higher, as the table shows.
TEST_CASE("the choice says of which cells it is where others have no base", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kSlower);
  add_best(input, "cheapest", {1, 1, 1}, kWorse);
  CHECK(choices(input, pairs_of(input))[0].about == "Use (fastest)");

  CellRow apart = *std::ranges::find(input.cells, 4, &CellRow::devices);
  EstimateRow time = *input.estimate(apart.id, "step_time_s");
  apart.id += 100;
  apart.hash += "-apart";
  apart.baseline.reset();
  time.cell_id = apart.id;
  input.cells.push_back(apart);
  input.results.estimates.push_back(time);
  input.make_index();

  const std::vector<Answer> found = choices(input, pairs_of(input));
  REQUIRE(found.size() == 2);
  const auto compared = std::ranges::count_if(input.cells, [&](const CellRow& cell) {
    return cell.role == CellRole::kMeasured && !cell.excluded_reason && cell.id != apart.id;
  });
  const std::string of = " of the " + std::to_string(compared) + " cells that have a base";
  CHECK(found[0].about == "Use (fastest" + of + ")");
  CHECK_THAT(found[1].about, Catch::StartsWith("Cheapest" + of + " ("));
}

// The base is excluded by its own verdict, so that its row names the cell that beats it.
TEST_CASE("the best is the cell that no row excludes", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kNoDetectableDifference);
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "fastest" && input.cell(row.cell_id).devices == 1) {
      row.verdict = kSlower;
      row.baseline_cell_id = std::ranges::find_if(input.cells, [&](const CellRow& cell) {
                               return cell.role == CellRole::kMeasured && cell.devices == 2 &&
                                      cell.batch_global == input.cell(row.cell_id).batch_global;
                             })->id;
    }
  }

  CHECK(choices(input, pairs_of(input)).front().sentence ==
        "2 devices or 4 devices (no significant difference) at every compared value (batch 64 to "
        "1024)");
}

TEST_CASE("equals with the fewest devices are named together as the smallest", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kEquivalent);
  for (CellRow& cell : input.cells) {
    cell.devices = cell.devices == 1 ? 2 : cell.devices;
  }
  input.index = {};
  input.make_index();

  const auto found = choices(input, pairs_of(input));

  const auto smallest = std::ranges::find(found, AnswerKind::kSmallest, &Answer::kind);
  REQUIRE(smallest != found.end());
  CHECK(smallest->sentence.find(" or ") != std::string::npos);
}

TEST_CASE("a best without a verdict against the base is not said under another's name",
          "[report]") {
  ReportInput input = test::read_sample();
  add_eight(input);
  add_best(input, "fastest", {8, 8, 8}, kNotEnoughData);
  CHECK(choices(input, pairs_of(input)).empty());
  for (ComparisonRow& row : input.results.comparisons) {
    row.verdict = row.quantity == "fastest" ? kSlower : row.verdict;  // of a session of their own
  }
  CHECK(choices(input, pairs_of(input)).empty());

  ReportInput two = test::read_sample();  // of two that have one, likewise
  for (ComparisonRow& row : two.results.comparisons) {
    if (row.quantity == "speedup" && two.cell(row.cell_id).devices == 4) {
      row.verdict = kNotEnoughData;
    }
  }
  add_best(two, "fastest", {4, 4, 4}, kNotEnoughData);
  CHECK(std::ranges::none_of(choices(two, pairs_of(two)),
                             [](const Answer& answer) { return answer.kind == AnswerKind::kUse; }));

  ReportInput other = test::read_sample();  // what has no verdict hides no best that has
  add_eight(other);
  add_best(other, "fastest", {4, 4, 4}, kSlower);
  for (ComparisonRow& row : other.results.comparisons) {
    row.verdict = other.cell(row.cell_id).devices == 8 ? kNotEnoughData : row.verdict;
  }
  REQUIRE(!choices(other, pairs_of(other)).empty());
  CHECK(choices(other, pairs_of(other))[0].sentence ==
        "4 devices at every compared value (batch 64 to 1024)");
}

TEST_CASE("one trial recommends nothing", "[report]") {
  ReportInput input = test::read_sample();
  add_best(input, "fastest", {4, 4, 4}, kNotEnoughData);
  add_best(input, "cheapest", {1, 1, 1}, kNotEnoughData);
  CHECK(choices(input, pairs_of(input)).empty());  // though the speedups were resolved
  const std::string why =
      "Which is the fastest is not decided; there is no verdict on 1 device against 4 devices: not "
      "enough data";
  CHECK(why_no_use(input, pairs_of(input)) == why);
  CHECK(std::ranges::count(answer_limits(input, pairs_of(input)), why) == 1);

  for (const Verdict none :
       {kNotEnoughData, kNoClaim, kNotApplied, kUnconfirmed, kSoftwareType, kUnsupported}) {
    input = test::read_sample();
    add_best(input, "fastest", {4, 4, 4}, kSlower);
    for (ComparisonRow& row : input.results.comparisons) {
      row.verdict = row.quantity == "speedup" ? none : row.verdict;
    }
    CHECK(choices(input, pairs_of(input)).empty());
    CHECK(why_no_use(input, pairs_of(input)).empty());  // the pairs say it themselves
  }
  CHECK(of_two({kNotEnoughData, kNotEnoughData, kNotEnoughData},
               {kNotEnoughData, kNotEnoughData, kNotEnoughData})
            .empty());
}

TEST_CASE("without comparisons of three there is no recommendation", "[report]") {
  const ReportInput input = test::read_sample();

  CHECK(choices(input, pairs_of(input)).empty());
  CHECK(choices(input, {}).empty());
}

TEST_CASE("what is the cheapest at another price is told where it is another", "[report]") {
  ReportInput input = test::read_sample();
  REQUIRE(input.declared.cost);
  input.declared.cost->lines.front().per_hour = 0.0;  // 5 USD per training are left
  input.declared.cost->others = {{.name = "whole node", .per_node_hour = 24.0}};
  add_best(input, "fastest", {4, 4, 4}, kSlower);
  add_best(input, "cheapest", {1, 1, 1}, kWorse);

  // One node whatever the devices: the fastest is the cheapest there.
  const std::vector<Answer> found = choices(input, pairs_of(input));
  const auto at_node = std::ranges::find(
      found, "Cheapest at whole node (USD per sample, machines only)", &Answer::about);
  REQUIRE(at_node != found.end());
  CHECK(at_node->sentence == "4 devices at every compared value (batch 64 to 1024)");

  input.declared.cost->others = {{.name = "spot", .per_device_hour = 0.5}};  // as the first
  CHECK(std::ranges::none_of(choices(input, pairs_of(input)), [](const Answer& answer) {
    return answer.about.starts_with("Cheapest at spot");
  }));
}

}  // namespace
