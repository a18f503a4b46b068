// What needs no relation: limits, things printed twice, optima, break-evens, comparisons.
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using test::audit_table;
using test::DatasetFolder;
using test::one_table;
using test::verdicts;

const std::string kBatchScaling =
    "      - {column: devices, quantity: devices}\n"
    "      - {column: batch, quantity: batch}\n"
    "      - {column: throughput, quantity: throughput, unit: img/s}\n";
const std::string kScalingCsv =
    "devices,batch,throughput\n1,32,101\n2,32,199\n4,32,398\n4,64,444\n";

std::vector<Finding> audit_scaling(const std::string& statement) {
  return DatasetFolder(one_table(kBatchScaling, "    experiment: main\n") +
                           "statements:\n  - {id: s, where: "
                           "line 9, " +
                           statement + "}\n",
                       {{"t.csv", kScalingCsv}})
      .audit();
}

TEST_CASE("a share above its whole is implausible, within rounding it is not", "[audit]") {
  CHECK(audit_table("      - {column: used, quantity: utilization}\n", "used\n100.4%\n101%\n")
            .size() == 2);
  CHECK(audit_table("      - {column: used, quantity: utilization}\n", "used\n100%\n99%\n<120%\n")
            .empty());
  CHECK(audit_table("      - {column: used, quantity: utilization}\n", "used\n-3%\n")[0].why ==
        "utilization cannot be negative");
}

TEST_CASE("more than linear scaling asks for an explanation and is no contradiction", "[audit]") {
  const auto findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: efficiency, quantity: efficiency, baseline: {devices: 1}}\n",
      "devices,throughput,efficiency\n1,101,100.0%\n2,211,104.5%\n");

  CHECK(verdicts(findings) ==
        "efficiency, devices=1 100.0%: follows\n"
        "efficiency, devices=2 104.5%: implausible\n"
        "efficiency, devices=2 104.5%: follows\n");
}

TEST_CASE("communication longer than its step is implausible", "[audit]") {
  const std::string columns =
      "      - {column: step, quantity: step_time, unit: ms}\n"
      "      - {column: wait, quantity: communication_time, unit: ms}\n";

  CHECK(verdicts(audit_table(columns, "step,wait\n9.4,9.5\n9.4,9.6\n9.4,58-85\n")) ==
        "wait, row 2 9.6: implausible\nwait, row 3 58-85: implausible\n");
}

TEST_CASE("a figure outside the interval printed with it is implausible", "[audit]") {
  CHECK(verdicts(audit_table("      - {column: r, quantity: ratio}\n",
                             "r\n\"0.53 [0.47, 0.60]\"\n\"0.66 [0.47, 0.60]\"\n\"0.61 [0.47, "
                             "0.60]\"\n")) == "r, row 2 0.66 [0.47, 0.60]: implausible\n");
}

TEST_CASE("one thing printed twice is the same, where only one row can be meant", "[audit]") {
  const std::string about = "quantity: throughput, unit: img/s, experiment: main, ";

  CHECK(verdicts(audit_scaling("printed: 0.2K, " + about + "at: {devices: 2}")) ==
        "s 0.2K: follows\n");  // [150, 250]
  CHECK(verdicts(audit_scaling("printed: 201, " + about + "at: {devices: 2}")) ==
        "s 201: does not follow\n");
  CHECK(verdicts(audit_scaling("printed: 201, " + about + "at: {devices: 2, batch: 32}")) ==
        "s 201: does not follow\n");
  CHECK(audit_scaling("printed: 999, " + about + "at: {devices: 4}").empty());  // two batches
  CHECK(audit_scaling("printed: 999, " + about + "at: {devices: 2, model: mlp}").empty());
  CHECK(audit_scaling("printed: 999, quantity: throughput, unit: img/s, at: {devices: 2}").empty());
  // A table that names no experiment has its own name for one.
  CHECK(
      verdicts(DatasetFolder(one_table(kBatchScaling) +
                                 "statements:\n  - {id: s, where: line 9, printed: 201, quantity: "
                                 "throughput, unit: img/s, experiment: t, at: {devices: 2}}\n",
                             {{"t.csv", kScalingCsv}})
                   .audit()) == "s 201: does not follow\n");
}

TEST_CASE("what follows from statements names them alone, without a table", "[audit]") {
  const std::string about = ", quantity: throughput, unit: img/s, experiment: main, at: ";
  const auto findings =
      DatasetFolder(one_table("      - {column: devices, quantity: devices}\n"
                              "      - {column: speedup, quantity: speedup, baseline: {devices: "
                              "1}}\n",
                              "    experiment: main\n") +
                        "statements:\n  - {id: one, where: line 8, printed: 101" + about +
                        "{devices: 1}}\n  - {id: two, where: line 9, printed: 199" + about +
                        "{devices: 2}}\n",
                    {{"t.csv", "devices,speedup\n2,1.97x\n"}})
          .audit();

  CHECK(verdicts(findings) == "speedup 1.97x: follows\n");
  CHECK(findings.at(0).bases.at(0).figure == "two");
  CHECK(findings.at(0).bases.at(1).figure == "one");
}

TEST_CASE("columns that differ by a declared condition are not one thing", "[audit]") {
  const std::string yaml =
      one_table(
          "      - {column: devices, quantity: devices}\n"
          "      - {column: step, quantity: step_time, unit: ms}\n"
          "      - {column: noop, quantity: step_time, unit: ms, at: {configuration: noop}}\n",
          "    experiment: main\n") +
      "  - table: u\n    file: u.csv\n    where: line 5\n    experiment: main\n    columns:\n"
      "      - {column: devices, quantity: devices}\n"
      "      - {column: step, quantity: step_time, unit: ms}\n";

  const auto findings = DatasetFolder(yaml,
                                      {{"t.csv", "devices,step,noop\n2,18.3,10.2\n"},
                                       {"u.csv", "devices,step\n2,18.5\n"}})
                            .audit();

  CHECK(verdicts(findings) == "step 18.5: does not follow\n");
}

TEST_CASE("an optimum that its table contradicts does not follow", "[audit]") {
  const auto best = [](const std::string& devices, const std::string& kind) {
    return verdicts(audit_scaling("printed: " + devices +
                                  ", quantity: devices, optimum: {table: t, column: throughput, "
                                  "best: " +
                                  kind + "}"));
  };

  CHECK(best("4 GPUs", "highest") == "s 4 GPUs: follows\n");
  CHECK(best("2 GPUs", "highest") == "s 2 GPUs: does not follow\n");
  CHECK(best("1", "lowest") == "s 1: follows\n");
  CHECK(best("8", "highest") == "s 8: cannot be checked\n");
}

TEST_CASE("a tie within rounding is no contradiction of an optimum", "[audit]") {
  const auto findings =
      DatasetFolder(
          one_table("      - {column: devices, quantity: devices}\n"
                    "      - {column: cost, quantity: money, unit: $}\n") +
              "statements:\n  - {id: s, where: x, printed: 2, quantity: devices, optimum: "
              "{table: t, column: cost, best: lowest}}\n",
          {{"t.csv", "devices,cost\n1,10.1\n2,10.12\n"}})
          .audit();

  CHECK(verdicts(findings) == "s 2: follows\n");  // 10.1 is [10.05, 10.15]
}

TEST_CASE("a break-even outside what was measured is an extrapolation", "[audit]") {
  const auto verdict = [](const std::string& printed) {
    return verdicts(audit_scaling("printed: " + printed + ", quantity: batch, break_even: [t]"));
  };

  CHECK(verdict("48") == "s 48: follows\n");
  CHECK(verdict("~60-80") == "s ~60-80: follows\n");
  CHECK(verdict("100-200") == "s 100-200: implausible\n");
}

TEST_CASE("a comparison that varies more than it says is implausible", "[audit]") {
  const auto verdict = [](const std::string& right) {
    return verdicts(audit_scaling(
        "printed: 1.5x, quantity: ratio, comparison: {left: {devices: 2, model: mlp}, right: {" +
        right + "}, vary: [devices]}"));
  };

  CHECK(verdict("devices: 1, model: mlp") == "s 1.5x: follows\n");
  CHECK(verdict("devices: 1, model: gpt") == "s 1.5x: implausible\n");
}

TEST_CASE("a speedup above the number of devices is remarked", "[audit]") {
  const auto audited = [](const std::string& speedup) {
    return verdicts(
        audit_table("      - {column: devices, quantity: devices}\n"
                    "      - {column: speedup, quantity: speedup, baseline: {devices: 2}}\n",
                    "devices,speedup\n8," + speedup + "\n"));
  };

  CHECK(audited("4.04x") == "speedup 4.04x: implausible\nspeedup 4.04x: cannot be checked\n");
  CHECK(audited("4.0x") == "speedup 4.0x: cannot be checked\n");
}

TEST_CASE("the arithmetic of a mixed baseline is told also where it does not fit", "[audit]") {
  const auto findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: strategy, quantity: strategy}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n",
      "devices,strategy,throughput,speedup\n1,DDP,101,-\n64,FSDP,4949,60.0x\n");

  REQUIRE(findings.size() == 1);
  CHECK(verdict_name(findings[0].verdict) == "cannot be checked");
  CHECK(findings[0].why ==
        "throughput / baseline throughput: no throughput is printed for devices=1 with everything "
        "else equal; over the run that differs in strategy (FSDP against DDP): 48.75x to 49.25x");
  CHECK(findings[0].needs == "print the throughput of devices=1 with everything else equal");
}

TEST_CASE("the reason is that of the relation whose arithmetic is told", "[audit]") {
  const auto findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: strategy, quantity: strategy}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: efficiency, quantity: efficiency, baseline: {devices: 1}}\n",
      "devices,strategy,throughput,efficiency\n1,DDP,101,-\n64,FSDP,4949,90.0%\n");

  REQUIRE(findings.size() == 1);
  CHECK(verdict_name(findings[0].verdict) == "cannot be checked");
  CHECK_THAT(
      findings[0].why,
      Catch::StartsWith("throughput / baseline throughput / (devices / baseline devices): no "
                        "throughput is printed for devices=1 with everything else equal; "
                        "over the run that differs in strategy (FSDP against DDP): "));
  CHECK(findings[0].needs == "print the throughput of devices=1 with everything else equal");
}

// 4,949, 9,595 and 17,171 / 101 = 49.0, 95.0 and 170.0
TEST_CASE("a figure that breaks with a comparison others of its column make does not follow",
          "[audit]") {
  const auto audited = [](const std::string& rows) {
    return verdicts(
        audit_table("      - {column: devices, quantity: devices}\n"
                    "      - {column: strategy, quantity: strategy}\n"
                    "      - {column: throughput, quantity: throughput, unit: img/s}\n"
                    "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n",
                    "devices,strategy,throughput,speedup\n1,DDP,101,-\n" + rows));
  };
  const std::string wrong = "256,FSDP,17171,175.0x\n";

  CHECK(audited("64,FSDP,4949,49.0x\n128,FSDP,9595,95.0x\n" + wrong) ==
        "speedup, devices=64 49.0x: follows\n"
        "speedup, devices=64 49.0x: implausible\n"
        "speedup, devices=128 95.0x: follows\n"
        "speedup, devices=128 95.0x: implausible\n"
        "speedup, devices=256 175.0x: does not follow\n"
        "speedup, devices=256 175.0x: implausible\n");
  // One other is no rule, and TP is another comparison.
  CHECK_THAT(audited("64,FSDP,4949,49.0x\n" + wrong),
             Catch::EndsWith("speedup, devices=256 175.0x: cannot be checked\n"));
  CHECK_THAT(audited("64,TP,4949,49.0x\n128,TP,9595,95.0x\n" + wrong),
             Catch::EndsWith("speedup, devices=256 175.0x: cannot be checked\n"));
}

// 4,949 and 9,595 follow from 101 of DDP; 17,171 / 131 = 131.1 is nearest to 135.
TEST_CASE("figures that follow from one run are no rule for another run of the baseline",
          "[audit]") {
  const std::string columns =
      "      - {column: devices, quantity: devices}\n"
      "      - {column: strategy, quantity: strategy}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n";
  const auto audited = [&](const std::string& last) {
    return verdicts(audit_table(columns,
                                "devices,strategy,throughput,speedup\n1,DDP,101,-\n1,ZeRO,131,-\n"
                                "64,FSDP,4949,49.0x\n128,FSDP,9595,95.0x\n256,FSDP,17171," +
                                    last + "\n"));
  };

  CHECK_THAT(audited("135.0x"),
             Catch::EndsWith("speedup, devices=256 135.0x: cannot be checked\n"));
  CHECK_THAT(audited("175.0x"), Catch::Contains("devices=256 175.0x: does not follow\n"));
}

TEST_CASE("a baseline that differs in more than one thing is told, with its arithmetic",
          "[audit]") {
  const auto audited = [](const std::string& baseline) {
    return verdicts(audit_table(
        "      - {column: devices, quantity: devices}\n"
        "      - {column: strategy, quantity: strategy}\n"
        "      - {column: throughput, quantity: throughput, unit: img/s}\n"
        "      - {column: speedup, quantity: speedup, baseline: {" +
            baseline + "}}\n",
        "devices,strategy,throughput,speedup\n1,DDP,101,-\n4,DDP,398,3.94x\n64,FSDP,4949,49.0x\n"));
  };

  CHECK(audited("devices: 1") ==
        "speedup, devices=4 3.94x: follows\n"
        "speedup, devices=64 49.0x: follows\n"
        "speedup, devices=64 49.0x: implausible\n");
  CHECK(audited("devices: 1, strategy: DDP") ==
        "speedup, devices=4 3.94x: follows\n"
        "speedup, devices=64 49.0x: implausible\n"
        "speedup, devices=64 49.0x: follows\n");
}

}  // namespace
