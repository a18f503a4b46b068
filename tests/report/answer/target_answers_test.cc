// What a first screen says of limits on recommendations.
#include "harness/report/answer/target_answers.h"

#include <map>
#include <utility>

#include "harness/report/answer/choice.h"
#include "harness/report/answer/cost_answers.h"
#include "harness/report/answer/pairs.h"
#include "tests/report/sample_study.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::report;
using Catch::Matchers::Contains;

namespace {

// Four numbers of devices at one batch; peak_bytes is to be at most 40 GB.
ReportInput with_limit() {
  ReportInput input;
  input.study.scaling = Scaling::kStrong;
  input.declared.workload = Workload::kTrain;
  input.declared.analysis.within = {{.metric = "peak_bytes", .is_least = false, .level = 40e9}};
  for (const std::int64_t devices : {1, 2, 4, 8}) {
    CellRow& cell = input.cells.emplace_back();
    cell.id = std::ssize(input.cells);
    cell.hash = std::to_string(cell.id);
    cell.baseline = "1";
    cell.devices = devices;
    cell.batch_global = 64;
    cell.parameters = {{"devices", std::to_string(devices), ValueKind::kInteger, true}};
    EstimateRow& bytes = input.results.estimates.emplace_back();
    bytes.cell_id = cell.id;
    bytes.metric = "peak_bytes";
    bytes.unit = "bytes";
  }
  const auto compare = [&](const char* quantity, std::int64_t cell, std::int64_t base, Verdict is) {
    ComparisonRow& row = input.results.comparisons.emplace_back();
    row.cell_id = cell;
    row.baseline_cell_id = base;
    row.quantity = quantity;
    row.value = is == Verdict::kFaster ? 2.5 : 0.8;
    row.verdict = is;
  };
  for (const std::int64_t cell : {2, 3, 4}) {
    compare("speedup", cell, 1, Verdict::kFaster);
  }
  return input;
}

void judge(ReportInput& input, std::int64_t cell, double bytes, TargetVerdict verdict) {
  TargetResultRow& row = input.results.targets.emplace_back();
  row.name = "within peak_bytes";
  row.metric = "peak_bytes";
  row.cell_id = cell;
  row.bound = Bound::kAtMost;
  row.level = 40e9;
  row.value = bytes;
  row.lo = 0.98 * bytes;
  row.hi = 1.02 * bytes;
  row.verdict = verdict;
}

Answer use(ReportInput& input) {
  input.index = {};
  input.make_index();
  const std::vector<Answer> all = choices(input, pairs_of(input));
  REQUIRE(!all.empty());
  return all[0];
}

using enum TargetVerdict;

TEST_CASE("a recommendation says within what, and what was left out", "[report]") {
  ReportInput input = with_limit();
  judge(input, 1, 20e9, kMet);
  judge(input, 2, 30e9, kMet);
  judge(input, 3, 39.5e9, kUndecided);
  judge(input, 4, 45e9, kMissed);

  const Answer answer = use(input);
  CHECK(answer.about == "Use (fastest within 40 GB)");
  CHECK(answer.sentence == "2 devices");
  CHECK(left_out(input) ==
        "not within 40 GB (37.25 GiB): 8 devices (41.91 GiB [41.07, 42.75]); not certain to be "
        "within 40 GB (37.25 GiB): 4 devices (36.79 GiB [36.05, 37.52])");
  const std::vector<Pair> pairs = pairs_of(input);
  CHECK(recommendation(pairs[0]) == "2 devices");
  CHECK(recommendation(pairs[2]).empty());  // 8 devices need too much
  CHECK(uses(input, pairs) ==               // as the sentence
        std::map<std::int64_t, std::string>{
            {1, "2 devices"}, {2, "2 devices"}, {3, "2 devices"}, {4, "2 devices"}});
  CHECK(distinct_targets(input).empty());  // a limit is no expectation
}

TEST_CASE("a setting whose trials all failed is left out with that reason", "[report]") {
  ReportInput input = with_limit();
  for (const std::int64_t cell : {1, 2, 3}) {
    judge(input, cell, 0.0, kUndecided);
    input.results.targets.back().value.reset();
  }
  judge(input, 4, 20e9, kMet);
  for (const auto& [cell, state] : {std::pair(1, TrialState::kOom),
                                    std::pair(1, TrialState::kSkipped),
                                    std::pair(2, TrialState::kOom),
                                    std::pair(2, TrialState::kFailed),
                                    std::pair(3, TrialState::kOom),
                                    std::pair(3, TrialState::kPlanned)}) {
    TrialRow& trial = input.trials.emplace_back();
    trial.cell_id = cell;
    trial.state = state;
  }
  input.index = {};
  input.make_index();

  CHECK(left_out(input) ==
        "not certain to be within 40 GB (37.25 GiB): 1 device (out of memory), 2 devices (failed) "
        "and 4 devices (not measured)");
}

TEST_CASE("with one setting left there is nothing to compare it with", "[report]") {
  ReportInput input = with_limit();
  judge(input, 1, 50e9, kMissed);
  judge(input, 2, 30e9, kMet);
  judge(input, 3, 50e9, kMissed);
  judge(input, 4, 50e9, kMissed);
  CHECK(use(input).sentence == "2 devices");
}

TEST_CASE("where no setting keeps the limits, that is said", "[report]") {
  ReportInput input = with_limit();
  for (const std::int64_t cell : {1, 2, 3, 4}) {
    judge(input, cell, 50e9, kMissed);
  }
  input.index = {};
  input.make_index();
  CHECK_THAT(left_out(input),
             Catch::Matchers::StartsWith("every setting; not within 40 GB (37.25 GiB): "));
}

TEST_CASE("the cheapest training is one within the limits", "[report]") {
  ReportInput input = with_limit();
  judge(input, 1, 20e9, kMet);
  judge(input, 2, 30e9, kMet);
  judge(input, 4, 45e9, kMissed);
  input.declared.cost = Cost{.price = {.per_device_hour = 2.0}};
  input.declared.cost->train = Training{.samples = 1e6};
  const auto estimate = [&](std::int64_t cell, const char* metric, const char* unit, double value) {
    EstimateRow& row = input.results.estimates.emplace_back();
    row.cell_id = cell;
    row.metric = metric;
    row.unit = unit;
    row.value = value;
    row.lo = 0.9 * value;
    row.hi = 1.1 * value;
  };
  for (const std::int64_t cell : {1, 2, 4}) {  // 8 devices are the soonest and the cheapest
    estimate(cell, "training_hours", "h", 100.0 / static_cast<double>(cell));
    estimate(cell, "training_cost", "USD", 100.0 / static_cast<double>(cell));
  }
  input.index = {};
  input.make_index();

  const std::vector<Answer> all = cost_answers(input);
  REQUIRE(!all.empty());
  CHECK_THAT(
      all[0].sentence,
      Contains("soonest and cheapest within 40 GB with 2 devices") && !Contains("8 devices"));
}

TEST_CASE("a limit has its unit where nothing was measured", "[report]") {
  ReportInput input = with_limit();
  input.results.estimates.clear();
  input.index = {};
  input.make_index();
  input.declared.cost = Cost{.price = {.per_device_hour = 2.0}};
  input.declared.cost->currency = "USD";
  const auto said = [&](const char* metric, double level) {
    input.declared.analysis.within = {{.metric = metric, .is_least = false, .level = level}};
    return within_text(input);
  };
  CHECK(said("training_hours", 72.0) == " within 72 h");
  CHECK(said("cost_per_million_tokens", 3.0) == " within 3 USD");
  CHECK(said("accuracy", 3.0) == " with accuracy of at most 3");
}

TEST_CASE("without limits nothing is said of them", "[report]") {
  ReportInput input = with_limit();
  input.declared.analysis.within.clear();
  CHECK(within_text(input).empty());
  CHECK(left_out(input).empty());
}

TEST_CASE("a limit on cost says at which of several prices it is judged", "[report]") {
  ReportInput input = with_limit();
  for (const char* metric : {"training_cost", "training_cost:spot", "training_hours"}) {
    EstimateRow& row = input.results.estimates.emplace_back();
    row.cell_id = 1;
    row.metric = metric;
    row.unit = std::string(metric) == "training_hours" ? "h" : "USD";
    row.value = 120.0;
  }
  input.declared.analysis.within = {{"training_cost", false, 100.0},
                                    {"training_hours", false, 72.0}};
  input.declared.cost = Cost{.price = {.per_device_hour = 2.1}};
  TargetResultRow& missed = input.results.targets.emplace_back();
  missed.name = "within training_cost";
  missed.metric = "training_cost";
  missed.cell_id = 1;
  missed.value = 120.0;
  missed.verdict = kMissed;
  input.make_index();
  CHECK(within_text(input) == " within 100 USD and 72 h");

  input.declared.cost->others = {{.name = "spot", .per_device_hour = 0.7}};
  CHECK(within_text(input) == " within 100 USD at 2.1 USD per device-hour and 72 h");
  CHECK_THAT(left_out(input),
             Contains("not within 100 USD at 2.1 USD per device-hour: 1 device ("));
}

TEST_CASE("limits are named by their amounts", "[report]") {
  ReportInput input = with_limit();
  EstimateRow& hours = input.results.estimates.emplace_back();
  hours.cell_id = 1;
  hours.metric = "training_hours";
  hours.unit = "h";
  input.declared.analysis.within.push_back({"training_hours", false, 72.0});
  input.declared.analysis.within.push_back({"accuracy", true, 0.9});
  input.make_index();
  CHECK(within_text(input) == " within 40 GB and 72 h with accuracy of at least 0.9");
}

}  // namespace
