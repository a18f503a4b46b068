// What is chosen along a number, such as the batch: in ranges, by choice, or for a few values.
#include "harness/report/answer/ladder.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "harness/report/answer/answer.h"
#include "harness/report/answer/choice.h"
#include "harness/report/answer/pairs.h"
#include "tests/report/answer/of_two.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using test::of_two;

namespace {

using enum Verdict;

void add_verdict(
    ReportInput& input, const char* quantity, std::int64_t cell, std::int64_t base, Verdict is) {
  ComparisonRow& row = input.results.comparisons.emplace_back();
  row.cell_id = cell;
  row.baseline_cell_id = base;
  row.quantity = quantity;
  row.value = is == Verdict::kFaster ? 2.5 : 0.8;
  row.verdict = is;
}

// Makes each batch a setting that is no number.
void batches_to_words(ReportInput& input) {
  for (CellRow& cell : input.cells) {
    const auto batch =
        std::ranges::find(cell.parameters, "batch_global", &CellRow::Parameter::name);
    *batch = {"env.LIBRARY", "v" + batch->value, ValueKind::kText, true};
    cell.batch_global = 64;
  }
  input.make_index();
}

// 1 and 2 devices with a slow rank of 0, 5 and 10 ms, all compared with 1 device without one.
ReportInput with_stragglers() {
  ReportInput input;
  input.study.scaling = Scaling::kStrong;
  input.declared.workload = Workload::kTrain;
  for (const std::string straggler : {"0", "5", "10"}) {
    for (const std::int64_t devices : {1, 2}) {
      CellRow& cell = input.cells.emplace_back();
      cell.id = std::ssize(input.cells);
      cell.hash = std::to_string(cell.id);
      cell.baseline = "1";
      cell.devices = devices;
      cell.batch_global = 64;
      cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true},
                         {"straggler_ms", straggler, ValueKind::kReal, true}};
    }
  }
  const auto compare = [&](const char* quantity, std::int64_t cell, std::int64_t base, Verdict is) {
    add_verdict(input, quantity, cell, base, is);
  };
  compare("speedup", 2, 1, kFaster);
  for (const std::int64_t cell : {3, 4, 5, 6}) {
    compare("speedup", cell, 1, kSlower);
  }
  compare("fastest", 3, 4, kSlower);
  compare("fastest", 6, 5, kSlower);
  input.make_index();
  return input;
}

const CellRow kTwo{};
const CellRow kFour{};
const CellRow kEight{};

Choice four(std::size_t unnamed) {
  return {"4 devices", {&kFour}, unnamed};
}

// With these choices at batch 16, 32, 64 ...
std::string said_of(const std::vector<Choice>& chosen) {
  ReportInput input;
  input.study.scaling = Scaling::kStrong;
  std::vector<report::Problem> problems(chosen.size());
  input.cells.resize(chosen.size());
  Ladder ladder{.axis = "batch", .setting = "", .rungs = {}};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    input.cells[i].batch_global = std::int64_t{16} << i;
    problems[i].cells = {&input.cells[i]};
    ladder.rungs.push_back(&problems[i]);
  }
  const auto choose = [&](const report::Problem& problem) {
    return chosen[static_cast<std::size_t>(&problem - problems.data())];
  };
  return say_ladders(input, {ladder}, choose, 2);
}

// With these choices under the settings a, b, c ..., of which two are told one by one.
std::string said_of_settings(const std::vector<Choice>& chosen) {
  const ReportInput input;
  std::vector<report::Problem> problems(chosen.size());
  std::vector<Ladder> ladders;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    problems[i].cells = {&kTwo};
    ladders.push_back({.axis = "",
                       .setting = std::string("model ") + static_cast<char>('a' + i),
                       .rungs = {&problems[i]}});
  }
  const auto choose = [&](const report::Problem& problem) {
    return chosen[static_cast<std::size_t>(&problem - problems.data())];
  };
  return say_ladders(input, ladders, choose, 2);
}

TEST_CASE("one choice is told once, however many more are not excluded", "[report]") {
  CHECK(said_of({four(2), four(1), four(3)}) ==
        "4 devices (1 to 3 more not excluded after adjustment) at every compared value (batch 16 "
        "to 64)");
  CHECK(said_of({four(0), four(2)}) ==
        "4 devices (up to 2 more not excluded after adjustment) at every compared value (batch 16 "
        "to 32)");
  const auto both = [](std::size_t unnamed) {
    return Choice{"2 devices or 4 devices (no significant difference)", {&kTwo, &kFour}, unnamed};
  };
  CHECK(said_of({both(1), both(3), four(0)}) ==
        "2 devices or 4 devices (no significant difference, 1 to 3 more not excluded after "
        "adjustment) at batch 16 to 32; 4 devices at batch 64");

  const Choice two{"2 devices", {&kTwo}, 0};
  CHECK(said_of({four(1), two, four(3), two, four(2)}) ==
        "not one choice for batch 16 to 256: 4 devices (1 to 3 more not excluded after adjustment) "
        "at 16, 64, 256; 2 devices at 32, 128");
}

TEST_CASE("values at which nothing is chosen for one reason are told together", "[report]") {
  const Choice two{"2 devices", {&kTwo}, 0};
  const Choice none{"no significant difference", {}, 0};
  CHECK(said_of({four(0), none, two, none}) ==
        "4 devices at batch 16, 2 devices at batch 64; at batch 32 and 128: no significant "
        "difference");
}

TEST_CASE("a name that some values lack a comparison for is told once", "[report]") {
  const auto alone = [](const char* what) {
    return Choice{"4 devices", {&kFour}, 0, {}, std::string("not compared, as 1 device ") + what};
  };
  const Choice failed = alone("failed");
  CHECK(said_of({four(0), failed, four(0), failed, failed}) ==
        "4 devices at batch 16 to 256 (at batch 32 and 128 to 256 not compared, as 1 device "
        "failed)");
  CHECK(said_of({failed, four(2)}) ==
        "4 devices (not compared, as 1 device failed) at batch 16; 4 devices (2 more not excluded "
        "after adjustment) at batch 32");
  CHECK(said_of({failed, failed}) ==
        "4 devices (not compared, as 1 device failed) at batch 16 to 32");
  CHECK(said_of({four(0), failed, alone("ran out of memory")}) ==
        "4 devices at batch 16; 4 devices (not compared, as 1 device failed) at batch 32; 4 "
        "devices (not compared, as 1 device ran out of memory) at batch 64");

  const Choice two{"2 devices", {&kTwo}, 0};
  const Choice lost{"no comparison, as 1 device failed", {}, 0};
  CHECK(said_of({two, lost, two, failed, four(0), failed}) ==
        "not one choice for batch 16 to 512: 2 devices at 16, 64; 4 devices (not compared, as 1 "
        "device failed) at 128, 512; at 32: no comparison, as 1 device failed; 4 devices at 256");
}

TEST_CASE("what a choice was compared without is told after what it does not name", "[report]") {
  const std::string note = "compared without the base, as 1 device failed";
  const Choice both{"2 devices or 4 devices (alike within 2 %)", {&kTwo, &kFour}, 1, {}, note};
  CHECK(said_of({both, four(0)}) ==
        "2 devices or 4 devices (alike within 2 %, 1 more not excluded after adjustment, compared "
        "without the base, as 1 device failed) at batch 16; 4 devices at batch 32");
  CHECK(said_of({Choice{"4 devices", {&kFour}, 2, {}, note}, four(0)}) ==
        "4 devices (2 more not excluded after adjustment, compared without the base, as 1 device "
        "failed) at batch 16; 4 devices at batch 32");
}

TEST_CASE("more settings than are told one by one are told by choice", "[report]") {
  const Choice two{"2 devices", {&kTwo}, 0};
  const Choice eight{"8 devices", {&kEight}, 0};
  const Choice none{"no verdict", {}, 0};
  CHECK(said_of_settings({two, four(0)}) == "with model a: 2 devices; with model b: 4 devices");
  CHECK(said_of_settings({two, two, two, two}) == "in all 4 compared settings: 2 devices");
  CHECK(said_of_settings({four(0), two, two, two}) ==
        "in 3 of 4 compared settings: 2 devices; with model a: 4 devices");
  CHECK(said_of_settings({two, four(0), two, four(0), none}) ==
        "in 2 of 5 compared settings: 2 devices; in 2 of 5 compared settings: 4 devices; with "
        "model e: no verdict");
  CHECK(said_of_settings({two, four(0), eight, none}) ==
        "with model a: 2 devices; with model b: 4 devices; with model c: 8 devices; others in 1");
}

TEST_CASE("a setting in which nothing is chosen says between which cells it is open", "[report]") {
  const Choice open{"no significant difference", {}, 0, "1 device or 2 devices"};
  CHECK(said_of_settings({four(0), open}) ==
        "with model a: 4 devices; with model b: 1 device or 2 devices (no significant difference)");
  CHECK(said_of({open, open}) == "1 device or 2 devices (no significant difference)");
  const Choice other{"no significant difference", {}, 0, "1 device or 4 devices"};
  CHECK(said_of({open, other}) == "no significant difference");
  const Choice none{"no verdict", {}, 0};
  CHECK(said_of({open, none, open}) ==
        "at batch 16 and 64: no significant difference; at batch 32: no verdict");
}

TEST_CASE("what is used does not hide that the cheapest is open", "[report]") {
  const std::vector<Verdict> open(3, kNoDetectableDifference);
  const auto found = of_two({kFaster, kFaster, kFaster}, open);

  REQUIRE(found.size() == 2);
  CHECK(found[0].sentence == "2 devices at every compared value (batch 64 to 1024)");
  CHECK(found[1].about == "Cheapest (USD per sample, machines only)");
  CHECK(found[1].sentence == "1 device or 2 devices (no significant difference)");

  CHECK(of_two(open, open).empty());  // where all is open, neither is said
}

TEST_CASE("that the cheapest is open in every setting is said once", "[report]") {
  ReportInput input = test::sample_of_two({kFaster, kFaster, kFaster},
                                          std::vector<Verdict>(3, kNoDetectableDifference));
  batches_to_words(input);

  const auto found = test::choices_of_two(input);
  REQUIRE(found.size() == 2);
  CHECK(found[1].about == "Cheapest (USD per sample, machines only)");
  CHECK(found[1].sentence == "no significant difference");
}

TEST_CASE("a ladder of verdicts says what to use where", "[report]") {
  const auto found = of_two({kSlower, kFaster, kFaster}, {kSlower, kSlower, kSlower});

  REQUIRE(found.size() == 2);
  CHECK(found[0].about == "Use (fastest)");
  CHECK(found[0].sentence == "1 device at batch 64, 2 devices at batch 256 to 1024");
  CHECK(found[1].about == "Cheapest (USD per sample, machines only)");
  CHECK(found[1].sentence == "1 device at every compared value (batch 64 to 1024)");
}

// Two settings of 2 devices to which the study gives one label: the one is the fastest, the other
// the cheapest.
TEST_CASE("what is called alike is not the same choice", "[report]") {
  ReportInput input;
  input.study.scaling = Scaling::kStrong;
  input.declared.workload = Workload::kTrain;
  input.declared.cost = test::read_sample().declared.cost;
  input.declared.labels = {{"env.A", "mode"}, {"env.B", "mode"}};
  for (const auto& [devices, a, b] :
       {std::tuple(1, "0", "0"), std::tuple(2, "1", "0"), std::tuple(2, "0", "1")}) {
    CellRow& cell = input.cells.emplace_back();
    cell.id = std::ssize(input.cells);
    cell.hash = std::to_string(cell.id);
    cell.devices = devices;
    cell.batch_global = 64;
    cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true},
                       {"env.A", a, ValueKind::kText, true},
                       {"env.B", b, ValueKind::kText, true}};
  }
  const auto compare = [&](const char* quantity, std::int64_t cell, std::int64_t base, Verdict is) {
    add_verdict(input, quantity, cell, base, is);
  };
  compare("speedup", 2, 1, kFaster);
  compare("speedup", 3, 1, kFaster);
  compare("fastest", 1, 2, kSlower);
  compare("fastest", 3, 2, kSlower);
  compare("cheapest", 1, 3, kSlower);
  compare("cheapest", 2, 3, kSlower);
  input.make_index();

  const std::vector<Answer> found = choices(input, pairs_of(input));
  REQUIRE(found.size() == 2);
  CHECK(found[0].about == "Use (fastest)");
  CHECK(found[1].kind == AnswerKind::kCheapest);
  CHECK(found[0].sentence == found[1].sentence);
}

TEST_CASE("of several batches that are compared with one, the chosen one is named", "[report]") {
  ReportInput input;
  input.study.scaling = Scaling::kStrong;
  input.declared.workload = Workload::kTrain;
  input.declared.cost = test::read_sample().declared.cost;
  for (const std::int64_t batch : {16, 32}) {
    for (const std::int64_t devices : {1, 2}) {
      CellRow& cell = input.cells.emplace_back();
      cell.id = std::ssize(input.cells);
      cell.hash = std::to_string(cell.id);
      cell.baseline = "1";
      cell.devices = devices;
      cell.batch_global = batch;
      cell.batch_per_device = batch / devices;
      cell.parameters = {{"batch_global", std::to_string(batch), ValueKind::kInteger, true},
                         {"devices", std::to_string(devices), ValueKind::kInteger, true}};
    }
  }
  for (const std::int64_t cell : {2, 3, 4}) {
    add_verdict(input, "speedup", cell, 1, kFaster);
  }
  for (const std::int64_t cell : {1, 2, 3}) {
    add_verdict(input, "fastest", cell, 4, kSlower);
  }
  for (const std::int64_t cell : {1, 2, 4}) {
    add_verdict(input, "cheapest", cell, 3, kSlower);
  }
  input.make_index();

  const std::vector<Answer> found = choices(input, pairs_of(input));
  REQUIRE(found.size() == 2);
  CHECK(found[0].sentence == "2 devices, batch 32");
  CHECK(found[1].sentence == "1 device, batch 32");
}

TEST_CASE("a condition is recommended to nobody, and each has its own choice", "[report]") {
  const ReportInput input = with_stragglers();
  const std::vector<Pair> pairs = pairs_of(input);
  const std::vector<Answer> found = choices(input, pairs);

  REQUIRE(!found.empty());
  CHECK(found[0].about == "Use (fastest)");
  CHECK(found[0].sentence == "2 devices at straggler_ms 0 to 5, 1 device at straggler_ms 10");
  CHECK(recommendation(pairs[0]) == "2 devices");
  CHECK(recommendation(pairs[1]).empty());
}

TEST_CASE("where only conditions vary there is nothing to choose", "[report]") {
  ReportInput input = with_stragglers();
  std::erase_if(input.cells, [](const CellRow& cell) { return cell.devices == 2; });
  std::erase_if(input.results.comparisons, [](const ComparisonRow& row) {
    return row.cell_id % 2 == 0 || row.quantity == "fastest";
  });
  for (ComparisonRow row : std::vector(input.results.comparisons)) {
    row.quantity = "fastest";
    input.results.comparisons.push_back(row);
  }
  input.index = {};
  input.make_index();

  CHECK(choices(input, pairs_of(input)).empty());

  input.declared.analysis.decide = {"straggler_ms"};  // which a study may mean all the same
  REQUIRE(!choices(input, pairs_of(input)).empty());
  CHECK(choices(input, pairs_of(input))[0].sentence == "straggler 0 ms");
}

TEST_CASE("versions that look like numbers are no ladder", "[report]") {
  ReportInput input = test::read_sample();
  for (CellRow& cell : input.cells) {
    const auto batch =
        std::ranges::find(cell.parameters, "batch_global", &CellRow::Parameter::name);
    batch->name = "env.TORCH";
    batch->value = cell.batch_global == 64 ? "2.8" : cell.batch_global == 256 ? "2.9" : "2.10";
    batch->kind = ValueKind::kText;
    cell.batch_global = 64;
  }
  const std::vector<Pair> pairs = pairs_of(input);
  const std::vector<report::Problem> problems = problems_of(input, pairs);

  const std::vector<Ladder> ladders = ladders_of(input, problems);

  REQUIRE(ladders.size() == 3);
  for (const Ladder& ladder : ladders) {
    CHECK(ladder.axis.empty());
    CHECK(ladder.setting.starts_with("env.TORCH=2."));
  }
}

TEST_CASE("many settings of words do not silence the first screen", "[report]") {
  ReportInput input = test::read_sample();
  for (ComparisonRow& row : input.results.comparisons) {
    const bool is_slower = input.cell(row.cell_id).batch_global == 64;
    row.verdict = is_slower ? kSlower : kFaster;
    row.value = is_slower ? 0.9 : 1.4;
  }
  batches_to_words(input);

  const std::vector<Answer> found = test::choices_of_two(input);
  REQUIRE(!found.empty());
  CHECK(found[0].kind == AnswerKind::kUse);
  CHECK(found[0].sentence ==
        "in 2 of 3 compared settings: 2 devices; with env.LIBRARY=v64: 1 device");
}

TEST_CASE("what changes often along a ladder is told by choice", "[report]") {
  ReportInput input = test::read_sample();
  std::int64_t id = 100;
  for (const std::int64_t batch : {2048, 4096, 8192, 16384}) {
    for (CellRow cell : std::vector<CellRow>(input.cells)) {
      if (cell.role != CellRole::kMeasured || cell.batch_global != 1024 || cell.devices > 2) {
        continue;
      }
      std::ranges::find(cell.parameters, "batch_global", &CellRow::Parameter::name)->value =
          std::to_string(batch);
      cell.batch_global = batch;
      cell.baseline = "measured-1-" + std::to_string(batch);
      ComparisonRow speedup = input.results.comparisons.front();
      speedup.baseline_cell_id = id - 1;
      speedup.cell_id = cell.id = id++;
      input.cells.push_back(cell);
      if (cell.devices == 2) {
        input.results.comparisons.push_back(speedup);
      }
    }
  }
  std::size_t next = 0;
  const std::vector<Verdict> verdicts = {
      kSlower, kFaster, kFaster, kEquivalent, kFaster, kNoDetectableDifference, kFaster};
  std::erase_if(input.results.comparisons, [&](const ComparisonRow& row) {
    return row.quantity != "speedup" || (row.cell_id < 100 && input.cell(row.cell_id).devices != 2);
  });
  for (ComparisonRow& row : input.results.comparisons) {
    row.verdict = verdicts.at(next++);
    row.value = row.verdict == kSlower ? 0.9 : 1.4;
  }
  REQUIRE(next == verdicts.size());
  input.index = {};
  input.make_index();

  CHECK(choices(input, pairs_of(input))[0].sentence ==
        "not one choice for batch 64 to 16384: 2 devices at 256 to 1024, 4096, 16384; 1 device at "
        "64; 1 device or 2 devices (alike within 2 %) at 2048; at 8192: no significant difference");
}

TEST_CASE("a value without a verdict ends a range", "[report]") {
  const auto fastest = [](Verdict least, Verdict middle, Verdict most) {
    return of_two({least, middle, most}, {kSlower, kSlower, kSlower})[0].sentence;
  };
  CHECK(fastest(kFaster, kNotEnoughData, kFaster) ==
        "2 devices at batch 64, 2 devices at batch 1024; at batch 256: no verdict");
  CHECK(fastest(kSlower, kNoClaim, kFaster) ==
        "1 device at batch 64, 2 devices at batch 1024; at batch 256: no verdict");
  CHECK(fastest(kNotEnoughData, kFaster, kNotEnoughData) == "2 devices at batch 256");
  // Beyond the ends of a range it says nothing of it.
  CHECK(fastest(kNotEnoughData, kFaster, kFaster) ==
        "2 devices at every compared value (batch 256 to 1024)");
  CHECK(fastest(kFaster, kFaster, kNotEnoughData) ==
        "2 devices at every compared value (batch 64 to 256)");
}

TEST_CASE("a value without enough data is in no range that the verdicts of others make",
          "[report]") {
  CHECK(of_two({kFaster, kFaster, kNotEnoughData}, {kSlower, kSlower, kSlower})[0].sentence ==
        "2 devices at every compared value (batch 64 to 256)");
  CHECK(of_two({kFaster, kFaster, kFaster}, {kSlower, kNotEnoughData, kSlower})[1].sentence ==
        "1 device at batch 64, 1 device at batch 1024; at batch 256: no verdict");
}

}  // namespace
