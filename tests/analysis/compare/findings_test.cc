// What a comparison's sentence says of it.
#include "harness/analysis/compare/findings.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "tests/analysis/compared_cells.h"

using namespace scalestudy;
using test::compare;
using test::find;
using test::make_cell;
using test::make_control;
using test::make_study;
using test::observe_cell;

TEST_CASE("slow launches count, and the ratio without their weight stands beside", "[analysis]") {
  std::vector<double> base(30, 1.0);
  std::vector<double> cell(30, 0.5);
  for (std::size_t i = 0; i < base.size(); ++i) {
    base[i] += i % 2 == 0 ? 0.01 : -0.01;
    cell[i] += i % 3 == 0 ? 0.01 : -0.005;
  }
  for (const std::size_t slow : {4U, 14U, 24U}) {
    cell[slow] *= 3.0;
  }
  const ComparisonRow row =
      find(compare({observe_cell(make_cell(1, 1, 8), base), observe_cell(make_cell(2, 2, 8), cell)},
                   make_study()),
           "speedup",
           2);

  // A tenth of the launches takes three times as long: 1 / (0.5 * 1.2), or 2 / 3^0.1 = 1.79.
  INFO(row.finding);
  CHECK(*row.value == Approx(1.67).epsilon(0.005));
  CHECK(row.finding.find("; with geometric means 1.79") != std::string::npos);
}

TEST_CASE("slow launches among few trials are told beside the verdict", "[analysis]") {
  CellObservation cell = observe_cell(make_cell(2, 2, 8), {0.5, 0.51, 0.49, 0.5, 1.5});
  cell.slow_p = 0.001;
  const CellObservation base = observe_cell(make_cell(1, 1, 8), {1.0, 1.01, 0.99, 1.0, 1.02});

  CHECK(
      find(compare({base, cell}, make_study()), "speedup", 2)
          .finding.ends_with(" (slow launches among fewer than 29 trials: no method covers that)"));
}

TEST_CASE("an overhead that is not detected says what share would go unseen", "[analysis]") {
  const CellRow cell = make_cell(2, 2, 8);
  const auto rows =
      compare({observe_cell(cell, {1.0, 1.3, 0.8, 1.1, 0.9}),
               observe_cell(make_control(3, cell, CellRole::kNoop), {0.9, 1.2, 1.1, 0.8, 1.0})},
              make_study());

  const ComparisonRow row = find(rows, "communication_overhead", 2);
  CHECK(row.verdict == Verdict::kNoDetectableDifference);
  // Over their means (1 and 1.02) the pairs differ with a standard error of 0.100756; times
  // t(0.975, 4) + t(0.8, 4) = 2.7764 + 0.9410 that is ln(1.454), and 1 - 1 / 1.454 is 31.2 %.
  CHECK_THAT(row.finding,
             Catch::Matchers::Contains(": not detected; less than about 31.5 % of the step would"));
}

TEST_CASE("pairs of one ratio are not said to be trials that do not vary", "[analysis]") {
  const CellObservation base = observe_cell(make_cell(1, 1, 8), {1.0, 1.5, 1.25, 1.75, 1.0});
  CellObservation cell = observe_cell(make_cell(2, 2, 8), {0.5, 0.75, 0.625, 0.875, 0.5});
  const auto finding = [&] {
    return find(compare({base, cell}, make_study()), "speedup", 2).finding;
  };

  CHECK(finding().ends_with(
      "not enough data (the ratio is the same in all blocks, so nothing can be tested)"));
  const CellObservation constant = observe_cell(make_cell(1, 1, 8), std::vector<double>(4, 1.0));
  cell = observe_cell(make_cell(2, 2, 8), std::vector<double>(4, 0.5));
  CHECK(find(compare({constant, cell}, make_study()), "speedup", 2)
            .finding.ends_with(
                "not enough data (the trials do not vary at all, so nothing can be tested)"));
}

TEST_CASE("a difference that is not detected says what it could be", "[analysis]") {
  const ComparisonRow row =
      find(compare({observe_cell(make_cell(1, 1, 8), {1.00, 1.10, 0.90, 1.05, 0.95}),
                    observe_cell(make_cell(2, 2, 8), {1.08, 0.97, 0.99, 0.96, 1.02})},
                   make_study()),
           "speedup",
           2);

  CHECK(row.verdict == Verdict::kNoDetectableDifference);
  CHECK(row.finding.find("no significant difference; could be from -") != std::string::npos);
  CHECK(row.finding.find("would go unseen more than one time in five") != std::string::npos);
  CHECK(row.finding.find("alone") == std::string::npos);
}

TEST_CASE("a range of one comparison is told from what several comparisons would see",
          "[analysis]") {
  const auto rows = compare({observe_cell(make_cell(1, 1, 8), {1.00, 1.10, 0.90, 1.05, 0.95}),
                             observe_cell(make_cell(2, 2, 8), {1.02, 1.08, 0.92, 1.03, 0.95}),
                             observe_cell(make_cell(3, 4, 8), {0.98, 1.12, 0.88, 1.07, 0.95})},
                            make_study());

  const std::string remark = find(rows, "speedup", 2).remark;
  INFO(remark);
  CHECK(remark.find(" % (this comparison alone), and a difference below about ") !=
        std::string::npos);
  CHECK(remark.ends_with(" comparisons allowed for"));
}

TEST_CASE("noise that hides a factor of thousands is told without its digits", "[analysis]") {
  const ComparisonRow row = find(compare({observe_cell(make_cell(1, 1, 8), {1.0, 1000.0}),
                                          observe_cell(make_cell(2, 2, 8), {1000.0, 1.0}),
                                          observe_cell(make_cell(3, 4, 8), {1000.0, 1.0})},
                                         make_study()),
                                 "speedup",
                                 2);

  CHECK_THAT(row.finding,
             Catch::Matchers::Contains("a difference below a factor of 1000 would go"));
}

TEST_CASE("a difference that stands only by itself is explained by its family", "[analysis]") {
  const std::vector<double> base_s = {1.00, 1.10, 0.90, 1.05, 0.95};
  const auto shifted = [&](const std::vector<double>& log_ratios) {
    std::vector<double> times_s;
    for (std::size_t block = 0; block < base_s.size(); ++block) {
      times_s.push_back(base_s[block] / std::exp(log_ratios[block]));
    }
    return times_s;
  };
  const auto rows =
      compare({observe_cell(make_cell(1, 1, 8), base_s),
               observe_cell(make_cell(2, 2, 8), shifted({0.020, 0.030, 0.010, 0.025, 0.000})),
               observe_cell(make_cell(3, 4, 8), shifted({0.010, -0.010, 0.020, -0.020, 0.005}))},
              make_study());

  // ln 1.017748 over a standard error of 0.0053905: t = 3.2635, p = 0.0310 with 4 degrees of
  // freedom. With three comparisons allowed for, a test at 1.67 % detects 5.12 errors, ln(1.0280),
  // with a power of 0.8 (noncentral t; the sum of the central quantiles would be 4.90).
  const ComparisonRow row = find(rows, "speedup", 2);
  INFO(row.finding);
  CHECK(row.verdict == Verdict::kNoDetectableDifference);
  CHECK(row.finding.ends_with("no significant difference; " + row.remark));
  CHECK(row.remark ==
        "not after adjustment: its interval alone is from +0.26 % to +3.3 %, but p = 0.031 becomes "
        "p = 0.093 with 3 comparisons allowed for, and a difference below about 2.80 % would go "
        "unseen more than one time in five");
}

TEST_CASE("a remark repeats no value, method or count of the columns", "[analysis]") {
  const std::vector<double> base = {1.0, 1.001, 0.999, 1.002, 0.998};
  const auto remark = [&](double factor, std::size_t trials) {
    std::vector<double> times_s;
    for (std::size_t i = 0; i < trials; ++i) {
      times_s.push_back(base[i] * factor);
    }
    times_s.back() *= 1.001;
    return find(compare({observe_cell(make_cell(1, 1, 8), base),
                         observe_cell(make_cell(2, 2, 8), times_s)},
                        make_study()),
                "speedup",
                2)
        .remark;
  };

  CHECK(remark(0.5, 5) == "faster by more than 2 %");
  CHECK(remark(1.0, 5).empty());  // equivalent, and not detectable
  CHECK(remark(0.5, 4) ==
        "faster by more than 2 %; left out without a partner: 0 trials of this cell and 1 of the "
        "other");
  CHECK(remark(0.5, 1) ==
        "1 trial against 1; 2 on each side are needed, of the same blocks; left out without a "
        "partner: 0 trials of this cell and 4 of the other");
}

TEST_CASE("the end that decides shows its side of the level it was read against", "[analysis]") {
  const auto finding = [](double low, double high) {
    std::vector<double> base;
    std::vector<double> cell;
    for (int block = 0; block < 5; ++block) {
      base.push_back(std::exp(low + (high - low) * block / 4.0));
      cell.push_back(1.0);
    }
    return find(
        compare({observe_cell(make_cell(1, 1, 8), base), observe_cell(make_cell(2, 2, 8), cell)},
                make_study(OrderDesign::kBatch)),
        "speedup",
        2);
  };

  // Means of exp over five equally spaced points; printed "2.1x [1.0, 4.4]: faster" before.
  const ComparisonRow wide = finding(0.02, 1.3);
  INFO(wide.finding);
  REQUIRE(wide.verdict == Verdict::kFaster);
  REQUIRE(*wide.lo > 1.0);
  CHECK(wide.finding.find("[1.0,") == std::string::npos);
  CHECK(wide.finding.find("[1.00,") == std::string::npos);
}

TEST_CASE("a range of many powers of ten is told in factors", "[analysis]") {
  const ComparisonRow row =
      find(compare({observe_cell(make_cell(1, 1, 8), {0.1, 10.0, 3.0, 0.2, 30.0}),
                    observe_cell(make_cell(2, 2, 8), {5.0, 0.5, 9.0, 0.1, 2.0})},
                   make_study(OrderDesign::kBatch)),
           "speedup",
           2);

  INFO(row.finding);
  CHECK(row.verdict == Verdict::kNoDetectableDifference);
  CHECK(row.finding.find("; could be from 0.") != std::string::npos);
  CHECK(row.finding.find(", and a difference below a factor of ") != std::string::npos);
  CHECK(row.finding.find('%') == std::string::npos);
}

TEST_CASE("a step without communication that takes far longer is told as such", "[analysis]") {
  const CellRow cell = make_cell(2, 2, 8);
  const auto rows =
      compare({observe_cell(cell, {1.0, 1.02, 1.01, 0.99, 0.98}),
               observe_cell(make_control(3, cell, CellRole::kNoop), {2.0, 2.1, 1.9, 2.0, 2.0})},
              make_study());

  CHECK_THAT(find(rows, "communication_overhead", 2).finding,
             Catch::Matchers::Contains("without communication the step takes 2.00") &&
                 Catch::Matchers::Contains("as long (paired over 5 blocks)"));
}

TEST_CASE("a cell that lost more than a tenth of its trials speaks for survivors", "[analysis]") {
  CellObservation cell =
      observe_cell(make_cell(2, 4, 256), {0.5, 0.51, 0.5, 0.49, 0.5, 0.5, 0.51, 0.5, 0.49, 0.5});
  cell.failures["timeout"] = 2;
  const ComparisonRow row =
      find(compare({observe_cell(make_cell(1, 1, 256), std::vector<double>(10, 1.0)), cell},
                   make_study()),
           "speedup",
           2);

  CHECK(row.finding.ends_with("(survivors only: 2 of 12 attempts of 4 devices, batch 256 failed)"));
}

TEST_CASE("a speedup and an efficiency name their cell, base, scaling and pairs", "[analysis]") {
  const CellObservation base = observe_cell(make_cell(1, 1, 256), {1.0, 1.01, 0.99, 1.02, 0.98});
  const auto rows = compare(
      {base, observe_cell(make_cell(2, 4, 256), {0.5, 0.504, 0.496, 0.509, 0.491})}, make_study());

  CHECK(find(rows, "speedup", 2).finding ==
        "4 devices, batch 256: 2.000x [1.995, 2.005] the throughput of 1 device (strong scaling, "
        "paired over 5 blocks): faster by more than 2 %");
  CHECK(find(rows, "efficiency", 2).finding ==
        "4 devices, batch 256: efficiency 50.00 % [49.88, 50.12] relative to 1 device (strong "
        "scaling, paired over 5 blocks): slower than linear scaling by more than 2 %");
}

TEST_CASE("a comparison with a base of another batch is neither weak nor strong scaling",
          "[analysis]") {
  const CellRow one = make_cell(1, 1, 32);
  const auto compared = [&](std::int64_t batch, Scaling scaling) {
    CellRow two = make_cell(2, 2, batch);
    two.baseline = one.hash;
    return compare({observe_cell(one, {1.0, 1.01, 0.99, 1.02, 0.98}),
                    observe_cell(two, {0.5, 0.504, 0.496, 0.509, 0.491})},
                   make_study(),
                   scaling);
  };
  for (const auto& [scaling, kept] :
       {std::pair(Scaling::kWeak, std::int64_t{64}), {Scaling::kStrong, std::int64_t{32}}}) {
    for (const char* quantity : {"speedup", "efficiency"}) {
      const ComparisonRow alike = find(compared(kept, scaling), quantity, 2);
      CHECK(alike.scaling == scaling);
      CHECK_THAT(alike.finding,
                 Catch::Matchers::Contains("1 device (" + to_word(scaling) +
                                           " scaling, paired over 5 blocks): "));
      const ComparisonRow other = find(compared(128, scaling), quantity, 2);
      CHECK(other.scaling == Scaling::kNone);
      CHECK_THAT(other.finding,
                 Catch::Matchers::Contains("1 device, batch 32 (paired over 5 blocks): "));
    }
  }
}

TEST_CASE("trials without a partner are counted on both sides", "[analysis]") {
  CellObservation base = observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.3, 1.4, 1.5});
  CellObservation cell = observe_cell(make_cell(2, 2, 8), {0.5, 0.6, 0.7, 0.8, 0.9, 1.0});
  base.trials.erase(base.trials.begin());  // block 0
  const auto finding = [&] {
    return find(compare({base, cell}, make_study()), "speedup", 2).finding;
  };
  CHECK_THAT(finding(),
             Catch::Contains("(strong scaling, paired over 5 blocks, left out without a partner: 1 "
                             "trial of this cell and 0 of the other"));

  cell.trials.pop_back();  // block 5: blocks 1 to 4 are left
  CHECK_THAT(finding(),
             Catch::Contains("(strong scaling, 4 against 4 trials of blocks that hold both, left "
                             "out without a partner: 1 trial of this cell and 1 of the other)"));
}

TEST_CASE("sessions are told beside a verdict", "[analysis]") {
  std::vector<CellObservation> cells = {
      observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 2.0, 2.1, 2.2}),
      observe_cell(make_cell(2, 2, 8), {0.5, 0.6, 0.7, 1.0, 1.1, 1.2})};
  const auto finding = [&](std::size_t first, std::size_t first_of_cell) {
    cells = {test::in_session(test::in_session(cells[0], 1), 2, first),
             test::in_session(test::in_session(cells[1], 1), 2, first_of_cell)};
    return find(compare(cells, make_study()), "speedup", 2).finding;
  };
  CHECK_THAT(finding(6, 6), !Catch::Contains("session"));
  CHECK_THAT(finding(3, 3),
             Catch::Contains("(strong scaling, paired over 6 blocks, within these 2 sessions"));
  CHECK_THAT(finding(5, 1),
             Catch::Contains("2 against 2 trials of blocks that hold both, left out without a "
                             "partner: 4 trials of this cell and 4 of the other, shares of "
                             "sessions differ, within these 2 sessions)"));

  for (CellObservation& cell : cells) {
    for (std::size_t i = 0; i < cell.trials.size(); ++i) {
      cell = test::in_session(std::move(cell), static_cast<std::int64_t>(i), i);
    }
  }
  CHECK_THAT(find(compare(cells, make_study(OrderDesign::kBatch)), "speedup", 2).finding,
             Catch::Contains("paired over the means of 6 sessions)"));
}

TEST_CASE("what is missing of a comparison is told", "[analysis]") {
  const CellObservation two = observe_cell(make_cell(1, 1, 8), {1.0, 1.1});
  const CellObservation one = observe_cell(make_cell(2, 2, 8), {0.5});
  CHECK_THAT(find(compare({two, one}, make_study()), "speedup", 2).finding,
             Catch::EndsWith("not enough data (1 trial against 1; 2 on each side are needed, of "
                             "the same blocks)"));

  CellObservation lost = observe_cell(make_cell(1, 1, 8), {});
  CHECK(find(compare({lost, one}, make_study()), "speedup", 2).finding ==
        "2 devices, batch 8: speedup over 1 device not measured: not enough data (no trial of 1 "
        "device, batch 8 has ended ok)");
  lost.failures = {{"oom", 3}};
  const ComparisonRow ran_out = find(compare({lost, one}, make_study()), "speedup", 2);
  CHECK(ran_out.remark == "all 3 attempts of 1 device, batch 8 ran out of memory");
  CHECK(ran_out.finding ==
        "2 devices, batch 8: speedup over 1 device not measured: not enough data (all 3 attempts "
        "of 1 device, batch 8 ran out of memory)");
  lost.planned = lost.lost = lost.out_of_memory = 3;  // and none is left
  const ComparisonRow over = find(compare({lost, one}, make_study()), "speedup", 2);
  CHECK(over.verdict == Verdict::kBaseOutOfMemory);
  CHECK(over.remark == ran_out.remark);
  CHECK(over.finding ==
        "2 devices, batch 8: speedup over 1 device not measured: base out of memory (all 3 "
        "attempts of 1 device, batch 8 ran out of memory)");

  CellObservation oversubscribed = observe_cell(make_cell(2, 2, 8), {0.5, 0.6});
  oversubscribed.row.oversubscribed = true;
  CHECK_THAT(find(compare({two, oversubscribed}, make_study()), "speedup", 2).finding,
             Catch::EndsWith(": no performance claim (oversubscribed)"));
}

TEST_CASE("shares of a step say what they are compared with", "[analysis]") {
  const CellRow cell = make_cell(2, 2, 8);
  const std::vector<double> step_s = {1.0, 1.01, 0.99, 1.02, 0.98};
  const auto with = [&](double factor) {
    std::vector<double> times_s = step_s;
    times_s[0] *= 1.001;
    for (double& time_s : times_s) {
      time_s *= factor;
    }
    return times_s;
  };
  const auto rows = compare({observe_cell(cell, step_s),
                             observe_cell(make_control(3, cell, CellRole::kNoop), with(0.6)),
                             observe_cell(make_control(4, cell, CellRole::kBarrier), with(0.75)),
                             observe_cell(make_control(5, cell, CellRole::kStartWait), with(1.1))},
                            make_study());

  CHECK_THAT(find(rows, "communication_overhead", 2).finding,
             Catch::StartsWith("2 devices, batch 8: communication takes 39.99 % [") &&
                 Catch::Contains(" of the step, compared with the same run without it (paired "
                                 "over 5 blocks)"));
  CHECK_THAT(find(rows, "synchronization_overhead", 4).finding,
             Catch::Contains(" of the step that sends single elements, compared with the same run "
                             "without communication"));
  CHECK_THAT(find(rows, "transfer_overhead", 2).finding,
             Catch::Contains("moving gradients takes "));
  CHECK_THAT(find(rows, "overlap_gain", 2).finding,
             Catch::Contains("the throughput of the same calls waited for at once"));
}

TEST_CASE("the same cell twice is equal, or the control has failed", "[analysis]") {
  const CellRow base = make_cell(1, 1, 8);
  const auto finding = [&](const std::vector<double>& second_s) {
    return compare({observe_cell(base, {1.0, 1.001, 0.999, 1.002, 0.998}),
                    observe_cell(make_control(4, base, CellRole::kAa), second_s)},
                   make_study())
        .at(0)
        .finding;
  };

  CHECK_THAT(finding({1.001, 1.0, 1.0, 1.001, 0.999}),
             Catch::Contains("equivalent within +/-2 %; a difference of about ") &&
                 Catch::EndsWith(" % would be seen four times in five"));
  CHECK_THAT(finding({0.900, 0.901, 0.899, 0.902, 0.898}),
             Catch::Contains("faster by more than 2 %; control failed; a difference"));
}

// The means are ln 4975 = 8.51 apart, with a standard error of 0.5 and one degree of freedom: p is
// 0.037, and 16.3 errors would be seen four times in five, which are a factor of exp(8.2).
TEST_CASE("a control too noisy to see a factor of 1000 does not say what it would see",
          "[analysis]") {
  const CellRow base = make_cell(1, 1, 8);
  const std::string finding =
      compare({observe_cell(base, {1.0, 1.01}),
               observe_cell(make_control(4, base, CellRole::kAa), {7500.0, 2500.0})},
              make_study())
          .at(0)
          .finding;

  CHECK_THAT(finding, Catch::Contains("control failed") && !Catch::Contains("four times in five"));
}

TEST_CASE("a baseline of as many devices is named by what differs", "[analysis]") {
  CellRow ring = make_cell(2, 2, 8);
  ring.baseline = "default";
  ring.parameters.push_back({"env.NCCL_ALGO", "Ring", ValueKind::kText, true});
  CellRow plain = make_cell(1, 2, 8);
  plain.hash = plain.baseline.emplace("default");
  plain.parameters.push_back({"env.NCCL_ALGO", "default", ValueKind::kText, true});
  const std::vector<double> times_s = {1.0, 1.1, 1.2, 1.3, 1.4};

  CHECK_THAT(compare({observe_cell(plain, times_s), observe_cell(ring, {0.9, 1.0, 1.1, 1.2, 1.2})},
                     make_study())
                 .at(0)
                 .finding,
             Catch::Contains("the throughput of env.NCCL_ALGO=default (paired"));
}

TEST_CASE("a difference that may be of the software is not attributed", "[analysis]") {
  CellObservation base =
      test::in_session(observe_cell(make_cell(1, 1, 8), {1.0, 1.1, 1.2, 1.3}), 1);
  CellObservation cell =
      test::in_session(observe_cell(make_cell(2, 2, 8), {0.5, 0.6, 0.7, 0.8}), 2);
  for (std::size_t i = 0; i < base.trials.size(); ++i) {
    base.trials[i].software = test::share({{"kernel", "6.1"}});
    cell.trials[i].software = test::share({{"kernel", "6.6"}});
  }

  CHECK_THAT(
      find(compare({base, cell}, make_study(OrderDesign::kBatch)), "speedup", 2).finding,
      Catch::EndsWith("not enough data (not attributable: the sessions of the two ran different "
                      "software, fewer than 5 a side)"));
}
