// The first screen: what it answers, and why.
#include "harness/report/answer/answer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "harness/report/answer/pairs.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/phases.h"
#include "harness/report/sections/sections.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;

namespace {

using Catch::Matchers::Contains;
using enum Verdict;

// The sentence about 2 devices when their pairs - 0.913x at batch 64, 1.468x at 256, 1.825x at
// 1024 - have these verdicts, and all that speedup if one is given: ± 0.011, 0.022 and 0.033.
std::string sentence(const std::vector<Verdict>& verdicts, double speedup = 0.0) {
  ReportInput input = test::read_sample();
  std::size_t next = 0;
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "speedup" && input.cell(row.cell_id).devices == 2) {
      row.verdict = verdicts.at(next++);
      if (speedup > 0.0) {
        row.value = speedup;
        row.lo = speedup - 0.011 * static_cast<double>(next);
        row.hi = speedup + 0.011 * static_cast<double>(next);
      }
    }
  }
  REQUIRE(next == verdicts.size());
  const std::vector<Answer> all = answers(input, pairs_of(input));
  const auto found = std::ranges::find(all, "2 devices against 1 device", &Answer::about);
  REQUIRE(found != all.end());
  return found->sentence;
}

TEST_CASE("an answer says the verdicts of all pairs, and the least and the largest", "[report]") {
  CHECK(sentence({kFaster, kFaster, kFaster}) ==
        "faster in all 3 pairs, from 0.913x [0.867, 0.959] at batch 64 to 1.825x [1.734, 1.916] at "
        "batch 1024");
  CHECK(sentence({kSlower, kEquivalent, kNoDetectableDifference}) ==
        "it depends: slower in 1, as fast in 1, no significant difference in 1 of 3 pairs; 1.468x "
        "[1.395, 1.541] at batch 256, but 0.913x [0.867, 0.959] at batch 64");
  CHECK(sentence({kNoDetectableDifference, kSlower, kFaster}) ==
        "it depends: faster in 1, slower in 1, no significant difference in 1 of 3 pairs; 1.825x "
        "[1.734, 1.916] at batch 1024, but 1.468x [1.395, 1.541] at batch 256");
  CHECK(sentence({kNoDetectableDifference, kEquivalent, kNoDetectableDifference}) ==
        "as fast in 1, no significant difference in 2 of 3 pairs, from 0.913x [0.867, 0.959] at "
        "batch 64 to 1.825x [1.734, 1.916] at batch 1024");
  CHECK(sentence({kNotEnoughData, kNotEnoughData, kEquivalent}) ==
        "as fast (within 2 %), 1.825x [1.734, 1.916] at batch 1024");
}

TEST_CASE("an answer with one resolved direction does not depend, and names resolved pairs",
          "[report]") {
  CHECK(sentence({kNoDetectableDifference, kSlower, kNoDetectableDifference}) ==
        "slower in 1, no significant difference in 2 of 3 pairs; slower: 1.468x [1.395, 1.541] at "
        "batch 256");
  CHECK(sentence({kFaster, kFaster, kNoDetectableDifference}) ==
        "faster in 2, no significant difference in 1 of 3 pairs; faster: 0.913x [0.867, 0.959] at "
        "batch 64 to 1.468x [1.395, 1.541] at batch 256");
}

TEST_CASE("speedups that print alike are no range, with the outermost bounds", "[report]") {
  CHECK(sentence({kSlower, kSlower, kSlower}, 0.872) ==
        "slower in all 3 pairs, 0.872x in each, within [0.839, 0.905]");
  CHECK(sentence({kSlower, kSlower, kNoDetectableDifference}, 0.872) ==
        "slower in 2, no significant difference in 1 of 3 pairs; slower: 0.872x in each, within "
        "[0.850, 0.894]");
  CHECK(sentence({kEquivalent, kNoDetectableDifference, kNoDetectableDifference}, 0.872) ==
        "as fast in 1, no significant difference in 2 of 3 pairs, 0.872x in each, within "
        "[0.839, 0.905]");
}

TEST_CASE("reasons name where communication costs most, and then least", "[report]") {
  ReportInput input = test::read_sample();
  const std::vector<Pair> pairs = pairs_of(input);
  const auto known = std::ranges::find(
      input.results.comparisons, "communication_overhead", &ComparisonRow::quantity);
  REQUIRE(known != input.results.comparisons.end());
  ComparisonRow more = *known;  // 21.3 % of 2 devices at batch 256
  more.cell_id = pairs.front().cell->id;
  more.value = 0.5;
  more.lo = 0.4;
  more.hi = 0.6;
  input.results.comparisons.push_back(more);
  input.make_index();

  const auto texts = communication_reasons(input, pairs_of(input));

  REQUIRE(texts.size() == 2);
  CHECK_THAT(texts[0],
             Contains("takes 50 % [40, 60] of the step with 2 devices at batch 64, and 21.3 % "
                      "[20.2, 22.3] of the step with 2 devices at batch 256"));
  CHECK_THAT(texts[1], Contains("Without communication, 2 devices would need 14.80 ± 0.44 ms"));
}

// The step of 2 devices at batch 256 is 18.8 ms in the sample, of which 2 % are 0.376 ms.
TEST_CASE("a reason names the step that waits most for its samples, where one does", "[report]") {
  ReportInput input = test::read_sample();
  const auto wait = [&](double least_s) {
    for (EstimateRow& row : input.results.estimates) {
      const CellRow& cell = input.cell(row.cell_id);
      if (row.metric == "data_time_s") {
        const bool is_most =
            cell.role == CellRole::kMeasured && cell.devices == 2 && cell.batch_global == 256;
        // Of the same cell on 1 device, 27.6 ms, it is a larger part.
        const bool is_alone = cell.devices == 1 && cell.batch_global == 256;
        row.lo = is_most ? least_s : is_alone ? 2.0 * least_s : 1e-6;
        row.value = *row.lo + 0.5e-3;
        row.hi = *row.value + 0.5e-3;
      }
    }
    input.make_index();
    return input_wait(input);
  };

  CHECK(wait(0.270e-3).empty());
  CHECK_THAT(wait(0.370e-3), Contains("With 1 device, batch 256"));
  CHECK_THAT(wait(0.380e-3), Contains("With 2 devices, batch 256"));
  CHECK(wait(2.5e-3) ==
        "With 2 devices, batch 256, 3.00 ± 0.50 ms of the 18.80 ± 0.56 ms of a step are "
        "spent waiting for samples, and 4.00 ± 0.40 ms for other ranks");
  for (CellRow& cell : input.cells) {
    cell.oversubscribed = cell.devices == 2;
  }
  CHECK_THAT(wait(2.5e-3), Contains("With 1 device"));
}

TEST_CASE("cells that make no claim are no answer", "[report]") {
  ReportInput input = test::read_sample();
  const auto about = [&input] {
    std::vector<std::string> names;
    const View view = build_view(input, {});
    for (const View& row : std::get<View::List>(view.values().at("answer"))) {
      names.push_back(std::get<std::string>(row.values().at("about")));
    }
    return names;
  };
  const std::string training = "90 epochs of 1,281,167 samples";  // which the sample declares
  CHECK(about() ==
        std::vector<std::string>{training, "Break-even", "2 devices against 1 device", "Targets"});

  for (ComparisonRow& row : input.results.comparisons) {
    row.verdict = input.cell(row.cell_id).devices == 4 ? kNoClaim : row.verdict;
  }
  CHECK(about() == std::vector<std::string>{"Use (fastest)",
                                            "Cheapest (USD per sample, machines only)",
                                            training,
                                            "Break-even"});  // no room is left
}

TEST_CASE("the verdict of a pair recommends one side", "[report]") {
  const ReportInput input = test::read_sample();
  Pair pair = pairs_of(input).front();
  ComparisonRow row = *pair.speedup;
  pair.speedup = &row;
  const auto use = [&](Verdict verdict) {
    row.verdict = verdict;
    return recommendation(pair);
  };

  CHECK(pair.where == "batch 64");
  CHECK(use(kFaster) == "2 devices");
  CHECK(use(kSlower) == "1 device");
  CHECK(use(kEquivalent) == "1 device (as fast)");
  CHECK(use(kNoDetectableDifference) == "no significant difference (not after adjustment)");
  CHECK(use(kNotEnoughData) == "not enough data");
  CHECK(use(kUnsupported) == "unsupported");
  CHECK(use(kBaseOutOfMemory) == "base out of memory");

  row.status = RowStatus::kZeroVariance;  // 0.013 and 0.012 steps/s, say: a ratio of few digits
  CHECK(use(kNotEnoughData) == "not enough data (no spread, so the ratio may be rounding)");
  CHECK(noted_verdict(row) == "not enough data (no spread, so the ratio may be rounding)");
}

TEST_CASE("a pair of which a side has no ok trial says how they ended", "[report]") {
  ReportInput input = test::read_sample();
  const std::int64_t id = pairs_of(input).front().cell->id;

  for (ComparisonRow& row : input.results.comparisons) {
    if (row.cell_id == id && row.quantity == "speedup") {
      row.verdict = kOutOfMemory;
      row.value = row.lo = row.hi = std::nullopt;
    }
  }

  CHECK(std::ranges::any_of(answer_limits(input, pairs_of(input)), [](const std::string& text) {
    return text.starts_with("No verdict on ") && text.find("out of memory") != std::string::npos;
  }));
}

TEST_CASE("a missing estimate is explained only where there is a bracket", "[report]") {
  ReportInput input = test::read_sample();
  const auto is_explained = [&input] {
    return std::ranges::any_of(answer_limits(input, pairs_of(input)), [](const std::string& text) {
      return text.ends_with("a break-even is a bracket without an estimate");
    });
  };
  CHECK(is_explained());
  for (ThresholdRow& row : input.results.thresholds) {
    row.tested_values = 0;  // of six, none with a usable value
    row.bracket_lo = row.bracket_hi = std::nullopt;
  }
  CHECK_FALSE(is_explained());
}

TEST_CASE("faster is called dearer only where it is", "[report]") {
  ReportInput input = test::read_sample();
  const auto is_called_dearer = [&input] {
    const std::vector<std::string> texts = answer_limits(input, pairs_of(input));
    return std::ranges::any_of(
        texts, [](const std::string& text) { return text.starts_with("Faster is not cheaper"); });
  };
  CHECK(is_called_dearer());  // a device's hour has a price, and none is fully used

  input.declared.cost->price = {.per_node_hour = 24.0};  // which is paid for one device, too
  CHECK_FALSE(is_called_dearer());
}

TEST_CASE("faster is called dearer only where the efficiency's verdict or the interval says so",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto dearer = [&](double lo, double hi, Verdict efficiency) {
    for (ComparisonRow& row : input.results.comparisons) {
      const bool is_said = row.quantity == "speedup" && input.cell(row.cell_id).devices == 2;
      row.verdict = row.quantity == "efficiency" ? efficiency
                    : row.quantity != "speedup"  ? row.verdict
                    : is_said                    ? kFaster
                                                 : kNotEnoughData;
      row.value = is_said ? 1.96 : row.value;
      row.lo = lo;
      row.hi = hi;
    }
    return std::ranges::any_of(answer_limits(input, pairs_of(input)), [](const std::string& text) {
      return text.starts_with("Faster is not cheaper");
    });
  };
  // With storage, 6.36 USD an hour are 1.89 times 3.36: no verdict is about that.
  CHECK_FALSE(dearer(1.93, 1.99, kSlower));
  CHECK(dearer(1.80, 1.88, kNoDetectableDifference));
  input.declared.cost->lines.clear();
  // Two devices cost twice as much an hour, so that the efficiency decides.
  CHECK(dearer(1.93, 1.99, kSlower));
  CHECK_FALSE(dearer(1.88, 2.05, kNoDetectableDifference));
  CHECK_FALSE(dearer(1.93, 1.99, kNoDetectableDifference));  // not after adjustment
}

TEST_CASE("where strategies are compared, those that were not measured are named", "[report]") {
  ReportInput input = test::read_sample();
  input.declared.workload = Workload::kTrain;
  const auto names_parallelism = [&] {
    return std::ranges::any_of(answer_limits(input, pairs_of(input)), [](const std::string& text) {
      return text.starts_with("Tensor, hybrid and 3D parallelism were not measured");
    });
  };
  for (CellRow& cell : input.cells) {
    cell.parameters.push_back({"strategy", "ddp", ValueKind::kText, true});
  }
  CHECK_FALSE(names_parallelism());
  const std::int64_t other = pairs_of(input).front().cell->id;
  std::ranges::find(input.cells, other, &CellRow::id)->parameters.back().value = "fsdp";
  CHECK(names_parallelism());
  input.declared.workload = Workload::kCommand;
  CHECK_FALSE(names_parallelism());
}

TEST_CASE("what was tested is what has an ok trial, and pairs without a verdict are counted",
          "[report]") {
  ReportInput input = test::read_sample();
  const auto said = [&](const std::string& begin) {
    const std::vector<std::string> texts = answer_limits(input, pairs_of(input));
    const auto found = std::ranges::find_if(
        texts, [&](const std::string& text) { return text.starts_with(begin); });
    return found == texts.end() ? "" : *found;
  };
  CHECK(said("Valid only for") == "Valid only for 1 to 4 devices and global batch 64 to 1024");
  CHECK(said("No verdict").empty());
  for (CellRow& cell : input.cells) {
    cell.oversubscribed = cell.devices == 4;  // which makes no claim
  }
  CHECK(said("Valid only for") == "Valid only for 1 to 2 devices and global batch 64 to 1024");
  for (CellRow& cell : input.cells) {
    cell.oversubscribed = false;
  }

  for (TrialRow& trial : input.trials) {
    const bool is_large = input.cell(trial.cell_id).batch_global == 1024;
    trial.state = is_large ? TrialState::kPlanned : trial.state;
  }
  for (ComparisonRow& row : input.results.comparisons) {
    const bool is_large = input.cell(row.cell_id).batch_global == 1024;
    row.verdict = is_large ? kNotEnoughData : row.verdict;
  }
  CHECK(said("Valid only for") == "Valid only for 1 to 4 devices and global batch 64 to 256");
  CHECK(said("No verdict") == "No verdict on 2 of 6 pairs: not enough data");

  // Versions, say: text has no range, also where it looks like numbers.
  for (CellRow& cell : input.cells) {
    const auto batch =
        std::ranges::find(cell.parameters, "batch_global", &CellRow::Parameter::name);
    batch->kind = ValueKind::kText;
    batch->value = cell.batch_global == 64 ? "2.9" : "2.10";
  }
  CHECK(said("Valid only for") == "Valid only for 1 to 4 devices");

  for (CellRow& cell : input.cells) {
    const auto batch =
        std::ranges::find(cell.parameters, "batch_global", &CellRow::Parameter::name);
    *batch = {"bucket_mb", cell.batch_global == 64 ? "1" : "25", ValueKind::kReal, true};
  }
  input.declared.axes.back().name = "bucket_mb";
  CHECK(said("Valid only for") == "Valid only for 1 to 4 devices and bucket 1 to 25 MiB");

  REQUIRE(input.declared.axes.front().name == "devices");
  input.declared.axes.erase(input.declared.axes.begin());
  input.declared.zip = {{{"devices", std::int64_t{1}}}, {{"devices", std::int64_t{4}}}};
  CHECK(said("Valid only for") == "Valid only for bucket 1 to 25 MiB and 1 to 4 devices");
}

TEST_CASE("communication without enough data is no reason", "[report]") {
  ReportInput input = test::read_sample();
  REQUIRE(!communication_reasons(input, pairs_of(input)).empty());
  for (ComparisonRow& row : input.results.comparisons) {
    row.verdict = row.quantity == "communication_overhead" ? kNotEnoughData : row.verdict;
  }
  CHECK(communication_reasons(input, pairs_of(input)).empty());
}

TEST_CASE("communication that is not detected after adjustment is no reason", "[report]") {
  ReportInput input = test::read_sample();
  for (ComparisonRow& row : input.results.comparisons) {
    row.verdict = row.quantity == "communication_overhead" ? kNoDetectableDifference : row.verdict;
  }
  CHECK(communication_reasons(input, pairs_of(input)).empty());
}

TEST_CASE("communication that may take nothing is no reason", "[report]") {
  ReportInput input = test::read_sample();
  for (ComparisonRow& row : input.results.comparisons) {
    if (row.quantity == "communication_overhead") {
      row.lo = -0.1;
    }
  }
  CHECK(communication_reasons(input, pairs_of(input)).empty());
}

}  // namespace
