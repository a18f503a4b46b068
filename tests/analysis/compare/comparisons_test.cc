// Speedup, efficiency, communication overhead and the control, against hand and oracle numbers.
#include "harness/analysis/compare/comparisons.h"

#include <algorithm>

#include "harness/analysis/compare/findings.h"
#include "tests/analysis/compared_cells.h"

using namespace scalestudy;
using test::compare;
using test::find;
using test::make_cell;
using test::make_control;
using test::make_study;
using test::observe_cell;

TEST_CASE("speedup over complete blocks is paired", "[analysis]") {
  const auto rows = compare({observe_cell(make_cell(1, 1, 256), test::kPairedBase),
                             observe_cell(make_cell(2, 4, 256), test::kPairedCell)},
                            make_study());

  // Python 3.11, from the formula of log_ratio_delta_paired with t(0.975, 9) = 2.2621571628.
  const ComparisonRow speedup = find(rows, "speedup", 2);
  CHECK(*speedup.value == Approx(3.6351838210770184).epsilon(1e-9));
  CHECK(*speedup.lo == Approx(3.6133203758).epsilon(1e-9));
  CHECK(*speedup.hi == Approx(3.6571795575).epsilon(1e-9));
  CHECK(*speedup.p_value < 1e-19);
  CHECK(speedup.method == RatioMethod::kPaired);
  CHECK(speedup.n == 10);
  CHECK(speedup.baseline_cell_id == 1);
  CHECK(speedup.scaling == Scaling::kStrong);
  CHECK(*find(rows, "efficiency", 2).value == Approx(3.6351838210770184 / 4.0).epsilon(1e-9));
  CHECK(speedup.verdict == Verdict::kFaster);
}

TEST_CASE("a baseline has no row against itself", "[analysis]") {
  CHECK(compare({observe_cell(make_cell(1, 1, 256), test::kPairedBase)}, make_study()).empty());
}

TEST_CASE("strong scaling without blocks agrees with the oracle", "[analysis]") {
  // Oracle scaling_summary/strong_scaling_4gpu (11_report_quantities.json, R 4.2.2).
  const auto rows = compare(
      {observe_cell(make_cell(1, 1, 256),
                    {0.983166936, 1.02822717, 0.989517644, 0.969718494, 0.986077989, 1.01653992}),
       observe_cell(
           make_cell(2, 4, 256),
           {0.280071811, 0.302888456, 0.296887456, 0.291055079, 0.284050051, 0.284181838})},
      make_study(OrderDesign::kBatch));

  const ComparisonRow speedup = find(rows, "speedup", 2);
  CHECK(speedup.method == RatioMethod::kIndependent);
  CHECK(*speedup.value == Approx(3.43460928236984).epsilon(1e-9));
  CHECK(*speedup.lo == Approx(3.31810092075578).epsilon(1e-9));
  CHECK(*speedup.hi == Approx(3.55520859801157).epsilon(1e-9));
  const ComparisonRow efficiency = find(rows, "efficiency", 2);
  CHECK(*efficiency.value == Approx(0.85865232059246).epsilon(1e-9));
  CHECK(*efficiency.lo == Approx(0.829525230188946).epsilon(1e-9));
  CHECK(*efficiency.hi == Approx(0.888802149502892).epsilon(1e-9));
  CHECK(efficiency.verdict == Verdict::kSlower);
}

TEST_CASE("weak scaling counts the additional work", "[analysis]") {
  // Oracle scaling_summary/weak_scaling_8gpu.
  CellRow one = make_cell(1, 1, 32);
  CellRow eight = make_cell(2, 8, 256);
  eight.baseline = one.hash;
  const auto cells = std::vector{
      observe_cell(one, {0.402911702, 0.401219156, 0.398233222, 0.393562573, 0.4018243}),
      observe_cell(eight, {0.447305906, 0.463902653, 0.456846488, 0.456835682, 0.457165221})};
  const auto rows = compare(cells, make_study(OrderDesign::kBatch), Scaling::kWeak);

  CHECK(*find(rows, "speedup", 2).value == Approx(7.00333733009482).epsilon(1e-9));
  CHECK(*find(rows, "speedup", 2).hi == Approx(7.12204480060601).epsilon(1e-9));
  CHECK(*find(rows, "efficiency", 2).value == Approx(0.875417166261853).epsilon(1e-9));
  CHECK(*find(rows, "efficiency", 2).lo == Approx(0.860826053686968).epsilon(1e-9));

  // Without batches the devices say how much more work there is.
  auto without_batches = cells;
  for (CellObservation& cell : without_batches) {
    cell.row.batch_global.reset();
  }
  CHECK(
      *find(compare(without_batches, make_study(OrderDesign::kBatch), Scaling::kWeak), "speedup", 2)
           .value == Approx(7.00333733009482).epsilon(1e-9));
}

TEST_CASE("fewer than five common blocks are compared as independent, without the others",
          "[analysis]") {
  CellObservation base = observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.3, 1.4, 1.5});
  CellObservation cell = observe_cell(make_cell(2, 2, 8), {0.5, 0.6, 0.7, 0.8, 0.9, 1.0});
  base.trials.erase(base.trials.begin());  // block 0
  const ComparisonRow paired = find(compare({base, cell}, make_study()), "speedup", 2);
  CHECK(paired.method == RatioMethod::kPaired);
  CHECK(paired.n == 5);

  cell.trials.pop_back();  // block 5: blocks 1 to 4 are left
  const ComparisonRow row = find(compare({base, cell}, make_study()), "speedup", 2);
  CHECK(row.method == RatioMethod::kIndependent);
  CHECK(row.n == 4);
  CHECK(row.n_baseline == 4);
  CHECK(*row.value == Approx((1.1 + 1.2 + 1.3 + 1.4) / (0.6 + 0.7 + 0.8 + 0.9)));
}

TEST_CASE("one common block is not enough data, however many others there are", "[analysis]") {
  CellObservation base = observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6});
  CellObservation cell = observe_cell(make_cell(2, 2, 8), {0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1});
  base.trials.erase(base.trials.begin() + 4, base.trials.end());  // blocks 0 to 3
  cell.trials.erase(cell.trials.begin(), cell.trials.begin() + 3);
  const ComparisonRow row = find(compare({base, cell}, make_study()), "speedup", 2);

  CHECK(row.status == RowStatus::kInsufficientData);
  CHECK(row.verdict == Verdict::kNotEnoughData);
  CHECK(*row.value == Approx(1.3 / 0.8));
  CHECK_FALSE(row.lo.has_value());

  const Study without_blocks = make_study(OrderDesign::kBatch);
  CHECK(find(compare({base, cell}, without_blocks), "speedup", 2).n_baseline == 4);
}

TEST_CASE("pairs are made by block, not by place in the list", "[analysis]") {
  CellObservation base = observe_cell(make_cell(1, 1, 8), {9.0, 1.0, 2.0, 3.0, 4.0, 5.0});
  CellObservation cell = observe_cell(make_cell(2, 2, 8), {0.51, 1.0, 1.5, 2.0, 2.5, 7.0});
  base.trials.erase(base.trials.begin());  // blocks 1..5: 1, 2, 3, 4, 5
  cell.trials.pop_back();                  // blocks 0..4: 0.51, 1, 1.5, 2, 2.5
  base.trials.push_back(observe_cell(make_cell(1, 1, 8), {0, 0, 0, 0, 0, 0, 6.0}).trials.back());
  cell.trials.push_back(observe_cell(make_cell(2, 2, 8), {0, 0, 0, 0, 0, 0, 6.0}).trials.back());

  // Common blocks 1, 2, 3, 4, 6: sums 1 + 2 + 3 + 4 + 6 and 1 + 1.5 + 2 + 2.5 + 6.
  CHECK(*find(compare({base, cell}, make_study()), "speedup", 2).value == Approx(16.0 / 13.0));
}

TEST_CASE("communication overhead is one minus the ratio to the silent run", "[analysis]") {
  const CellRow cell = make_cell(2, 2, 8);
  const auto rows =
      compare({observe_cell(cell, {1.0, 1.02, 1.01, 0.99, 0.98}),
               observe_cell(make_control(3, cell, CellRole::kNoop), {0.8, 0.816, 0.808, 0.8, 0.8})},
              make_study());

  // Means 0.8048 and 1; standard error of the differences 0.0040135 (Python 3.11), t(0.975, 4) =
  // 2.776445; the ratio is 0.8048 [0.795882, 0.813818].
  const ComparisonRow row = find(rows, "communication_overhead", 2);
  CHECK(row.baseline_cell_id == 3);
  CHECK(*row.value == Approx(0.1952).margin(1e-6));
  CHECK(*row.lo == Approx(0.186182).margin(1e-6));
  CHECK(*row.hi == Approx(0.204118).margin(1e-6));
  CHECK(row.verdict == Verdict::kSlower);
}

TEST_CASE("the control barrier splits the overhead into waiting and moving", "[analysis]") {
  const CellRow cell = make_cell(2, 2, 8);
  const auto rows = compare(
      {observe_cell(cell, {1.0, 1.02, 1.01, 0.99, 0.98}),
       observe_cell(make_control(3, cell, CellRole::kNoop), {0.6, 0.612, 0.606, 0.594, 0.588}),
       observe_cell(make_control(4, cell, CellRole::kBarrier), {0.75, 0.765, 0.758, 0.742, 0.735})},
      make_study());

  // Every block: silent 0.6, single elements 0.75 and the step 1, but for rounding.
  const ComparisonRow waiting = find(rows, "synchronization_overhead", 4);
  CHECK(waiting.baseline_cell_id == 3);
  CHECK(*waiting.value == Approx(0.2).margin(1e-3));
  const ComparisonRow moving = find(rows, "transfer_overhead", 2);
  CHECK(moving.baseline_cell_id == 4);
  CHECK(*moving.value == Approx(0.25).margin(1e-3));
  CHECK(1.0 - *find(rows, "communication_overhead", 2).value ==
        Approx((1.0 - *waiting.value) * (1.0 - *moving.value)));
}

TEST_CASE("overlap is compared with the same calls waited for at once", "[analysis]") {
  const CellRow cell = make_cell(2, 2, 8);
  const auto rows = compare({observe_cell(cell, {1.0, 1.02, 1.01, 0.99, 0.98}),
                             observe_cell(make_control(3, cell, CellRole::kStartWait),
                                          {1.1, 1.122, 1.112, 1.089, 1.078})},
                            make_study());

  const ComparisonRow row = find(rows, "overlap_gain", 2);
  CHECK(row.baseline_cell_id == 3);
  CHECK(*row.value == Approx(1.1).margin(1e-3));
  CHECK(row.verdict == Verdict::kFaster);
}

TEST_CASE("without a silent control there is no overhead", "[analysis]") {
  const auto rows = compare(
      {observe_cell(make_cell(1, 1, 8), {1.0, 1.1}), observe_cell(make_cell(2, 2, 8), {0.6, 0.7})},
      make_study());

  CHECK(std::ranges::find(rows, "communication_overhead", &ComparisonRow::quantity) == rows.end());
}

TEST_CASE("a baseline under a second name is equivalent to itself", "[analysis]") {
  const CellRow base = make_cell(1, 1, 8);
  const auto rows = compare(
      {observe_cell(base, {1.000, 1.001, 0.999, 1.002, 0.998}),
       observe_cell(make_control(4, base, CellRole::kAa), {1.001, 1.000, 1.001, 0.999, 1.000})},
      make_study());

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].quantity == "aa");
  CHECK(rows[0].cell_id == 4);
  CHECK(rows[0].baseline_cell_id == 1);
  CHECK(rows[0].verdict == Verdict::kEquivalent);
  // Differences of the blocks: standard error 0.000969, times t(0.975, 4) + t(0.8, 4) = 3.7174.
}

TEST_CASE("a control that differs from itself has failed", "[analysis]") {
  const CellRow base = make_cell(1, 1, 8);
  const auto rows = compare(
      {observe_cell(base, {1.000, 1.001, 0.999, 1.002, 0.998}),
       observe_cell(make_control(4, base, CellRole::kAa), {0.900, 0.901, 0.899, 0.902, 0.898})},
      make_study());

  CHECK(rows.at(0).verdict == Verdict::kFaster);
}

TEST_CASE("p values are adjusted over the comparisons of one quantity", "[analysis]") {
  // Same data against the same baseline: equal p. Of three cells the best is chosen as well, so
  // that three comparisons are allowed for: two verdicts, two with the best, one of which is both.
  const std::vector<double> base = {1.00, 1.02, 0.98, 1.01, 0.99};
  const std::vector<double> near = {0.98, 1.01, 0.97, 1.01, 0.97};
  CellRow third = make_cell(3, 4, 8);
  const auto rows = compare({observe_cell(make_cell(1, 1, 8), base),
                             observe_cell(make_cell(2, 2, 8), near),
                             observe_cell(third, near)},
                            make_study());

  const ComparisonRow first = find(rows, "speedup", 2);
  CHECK(*first.p_adjusted == Approx(3.0 * *first.p_value));
  CHECK(*find(rows, "speedup", 3).p_adjusted == Approx(3.0 * *first.p_value));

  // Of two cells a problem it is Holm: two members, the first doubled, the second following it.
  const auto holm = compare({observe_cell(make_cell(1, 1, 8), base),
                             observe_cell(make_cell(2, 2, 8), near),
                             observe_cell(make_cell(4, 1, 16), base),
                             observe_cell(make_cell(5, 2, 16), near)},
                            make_study());
  CHECK(*find(holm, "speedup", 2).p_adjusted == Approx(2.0 * *first.p_value));
  CHECK(*find(holm, "speedup", 5).p_adjusted == Approx(2.0 * *first.p_value));

  third.oversubscribed = true;
  const auto without = compare({observe_cell(make_cell(1, 1, 8), base),
                                observe_cell(make_cell(2, 2, 8), near),
                                observe_cell(third, near)},
                               make_study());
  CHECK(*find(without, "speedup", 2).p_adjusted == Approx(*first.p_value));
}

// Alone 1.032 [1.024, 1.040]; with the t of one eighth of 5 %, about 5.3 on 4 degrees of freedom,
// the lower end is 1.017.
TEST_CASE("a difference beyond the margin allows for the number of comparisons", "[analysis]") {
  const std::vector<double> base = {1.00, 1.02, 0.98, 1.01, 0.99};
  std::vector<double> faster = {1.008, 0.992, 1.004, 0.996, 1.000};
  for (std::size_t i = 0; i < faster.size(); ++i) {
    faster[i] *= base[i] / 1.032;
  }
  const auto compare_pairs = [&](std::int64_t pairs) {
    std::vector<CellObservation> cells;
    for (std::int64_t i = 0; i < pairs; ++i) {
      cells.push_back(observe_cell(make_cell(2 * i + 1, 1, 8 << i), base));
      cells.push_back(observe_cell(make_cell(2 * i + 2, 2, 8 << i), faster));
    }
    return find(compare(cells, make_study()), "speedup", 2);
  };

  const ComparisonRow alone = compare_pairs(1);
  CHECK(alone.verdict == Verdict::kFaster);
  CHECK(alone.finding.find("by more than 2 %") != std::string::npos);

  const ComparisonRow of_eight = compare_pairs(8);
  CHECK(*of_eight.lo == Approx(*alone.lo));
  CHECK(of_eight.verdict == Verdict::kFaster);
  CHECK(of_eight.finding.find("by more than") == std::string::npos);
}

TEST_CASE("an oversubscribed cell keeps its numbers and makes no claim", "[analysis]") {
  CellRow cell = make_cell(2, 2, 8);
  cell.oversubscribed = true;
  const ComparisonRow row = find(compare({observe_cell(make_cell(1, 1, 8), test::kPairedBase),
                                          observe_cell(cell, test::kPairedCell)},
                                         make_study()),
                                 "speedup",
                                 2);

  CHECK(*row.value == Approx(3.6351838210770184).epsilon(1e-9));
  CHECK(row.verdict == Verdict::kNoClaim);
  CHECK_FALSE(row.p_adjusted.has_value());
}

namespace {

// A command on one device and two, of which no cell has a batch; all else is the study's.
ComparisonRow compare_command(const Study& study, const std::string& quantity = "speedup") {
  const auto without_batch = [](std::int64_t id, std::int64_t devices) {
    CellRow cell = make_cell(id, devices, 64);
    cell.batch_global.reset();
    cell.batch_per_device.reset();
    std::erase_if(cell.parameters,
                  [](const CellRow::Parameter& one) { return one.name == "batch_global"; });
    return cell;
  };
  return find(compare({observe_cell(without_batch(1, 1), {1.0, 1.01, 0.99, 1.0, 1.02}),
                       observe_cell(without_batch(2, 2), {1.1, 1.11, 1.09, 1.1, 1.12})},
                      study,
                      Scaling::kNone),
              quantity,
              2);
}

}  // namespace

TEST_CASE("steps of unknown work on several devices have no speedup", "[analysis]") {
  Study study = make_study();
  study.workload = Workload::kCommand;
  study.extract.resize(1);
  study.extract[0].metric = kStepTime;
  study.axes = {{.name = "devices", .values = {std::int64_t{1}, std::int64_t{2}}}};
  const ComparisonRow unknown = compare_command(study);
  CHECK(unknown.verdict == Verdict::kUnknownWork);
  CHECK_FALSE(unknown.value);
  CHECK_FALSE(unknown.lo);
  CHECK_FALSE(unknown.p_value);
  CHECK_THAT(unknown.finding, Catch::Contains("work of a step not declared"));

  SECTION("a metric that is asked for is compared all the same") {
    study.analysis.metrics = {{.metric = kStepTime}};
    CHECK(compare_command(study, kStepTime).verdict == Verdict::kWorse);
  }
  SECTION("a whole command is the work") {
    study.extract[0].from = ExtractSource::kWallTime;
    CHECK(compare_command(study).verdict == Verdict::kSlower);
  }
  SECTION("a rate over a step of one size may be that of one device") {
    study.extract[0].per_step = "512";
    CHECK(compare_command(study).verdict == Verdict::kUnknownWork);
  }
  SECTION("a message has a size") {
    study.parameters["message_bytes"] = std::int64_t{1024};
    CHECK(compare_command(study).verdict == Verdict::kSlower);
  }
}

TEST_CASE("a single trial on a side is not enough data", "[analysis]") {
  const ComparisonRow row = find(
      compare({observe_cell(make_cell(1, 1, 8), {2.0}), observe_cell(make_cell(2, 2, 8), {1.0})},
              make_study()),
      "speedup",
      2);

  CHECK(row.value == 2.0);
  CHECK_FALSE(row.lo.has_value());
  CHECK(row.verdict == Verdict::kNotEnoughData);
  CHECK(row.status == RowStatus::kInsufficientData);
}

TEST_CASE("a baseline whose trials all failed leaves nothing to compare", "[analysis]") {
  const ComparisonRow row = find(
      compare({observe_cell(make_cell(1, 1, 8), {}), observe_cell(make_cell(2, 2, 8), {1.0, 1.1})},
              make_study()),
      "speedup",
      2);

  CHECK_FALSE(row.value.has_value());
  CHECK(row.verdict == Verdict::kNotEnoughData);
}

TEST_CASE("trials that do not vary test nothing", "[analysis]") {
  const std::vector<double> constant(5, 1.0);
  const ComparisonRow row = find(compare({observe_cell(make_cell(1, 1, 8), constant),
                                          observe_cell(make_cell(2, 2, 8), constant)},
                                         make_study()),
                                 "speedup",
                                 2);

  CHECK(row.value == 1.0);
  CHECK(row.status == RowStatus::kZeroVariance);
  CHECK(row.verdict == Verdict::kNotEnoughData);
}

TEST_CASE("cells with as many devices as their baseline have a speedup only", "[analysis]") {
  CellRow ring = make_cell(2, 2, 8);
  ring.parameters.push_back({"env.NCCL_ALGO", "Ring", ValueKind::kText, true});
  CellRow standard = make_cell(1, 2, 8);
  standard.hash = "default";
  standard.baseline = "default";
  standard.parameters.push_back({"env.NCCL_ALGO", "default", ValueKind::kText, true});
  ring.baseline = "default";
  const auto rows = compare({observe_cell(standard, {1.0, 1.1, 1.2, 1.0, 1.1}),
                             observe_cell(ring, {0.5, 0.6, 0.6, 0.5, 0.5})},
                            make_study());

  REQUIRE(rows.size() == 1);
  CHECK(rows[0].quantity == "speedup");
}
