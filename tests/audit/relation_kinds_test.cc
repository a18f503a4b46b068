// What is said of relations that fail, that only confirm, and that depend on the kind of figure.
#include <fmt/format.h>

#include "harness/audit/check/relation.h"
#include "tests/audit/stated_case.h"
#include "tests/support/catch.h"
#include "workloads/names/operations.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using test::audit_stated;
using test::DatasetFolder;
using test::StatedCase;

TEST_CASE("the difference says by how much more or less is printed than follows", "[audit]") {
  // 812.625 .. 812.875; 820.05 - 812.875 over 812.75, 800.05 - 812.625 over 812.75.
  const StatedCase each{"", "throughput_per_device", "throughput: 3251 img/s, devices: 4", "", ""};

  CHECK(audit_stated(each, "820.1 img/s").difference.value() == Approx(7.175 / 812.75));
  CHECK(audit_stated(each, "800.0 img/s").difference.value() == Approx(-12.575 / 812.75));
  CHECK(audit_stated(each, "820.1 img/s").why == "printed 0.88 % above what follows");
  CHECK(audit_stated(each, "800.0 img/s").why == "printed 1.5 % below what follows");
  // 812.85 - 812.8125: less than the rounding of what is printed, 0.05.
  const StatedCase near{
      "", "throughput_per_device", "throughput: 3251.2 img/s, devices: 4", "", ""};
  CHECK(audit_stated(near, "812.9 img/s").why == "printed just above what follows");
}

TEST_CASE("what may be called so is confirmed and never refuted", "[audit]") {
  const StatedCase overhead{"", "overhead", "efficiency: 96.4%", "", ""};

  CHECK(verdict_name(audit_stated(overhead, "3.6%").verdict) == "follows");
  CHECK(verdict_name(audit_stated(overhead, "9.9%").verdict) == "cannot be checked");
  // [3.15, 3.25] / [9.95, 10.05]: 31.3433 .. 32.6633 %
  const StatedCase over_computation{
      "", "overhead", "communication_time: 3.2ms, compute_time: 10.0ms", "", ""};
  CHECK(audit_stated(over_computation, "32.7%").formula == "communication_time / compute_time");
  CHECK(verdict_name(audit_stated(over_computation, "32.7%").verdict) == "follows");
  CHECK(verdict_name(audit_stated(over_computation, "42.7%").verdict) == "cannot be checked");
  // [12.35, 12.45] / [9.95, 10.05] - 1: 22.8856 .. 25.1256 %; of the whole it is 19.4 %.
  const StatedCase over_rest{"", "overhead", "step_time: 12.4ms, compute_time: 10.0ms", "", ""};
  CHECK(audit_stated(over_rest, "25.1%").formula == "step_time / compute_time - 1");
  CHECK(verdict_name(audit_stated(over_rest, "25.1%").verdict) == "follows");
  CHECK(verdict_name(audit_stated(over_rest, "35.1%").verdict) == "does not follow");
}

TEST_CASE("the factor of one collective is not that of another", "[audit]") {
  const StatedCase broadcast{
      "", "busbw", "algbw: 12.34 GB/s, devices: 8, operation: broadcast", "", ""};
  const StatedCase unsaid{"", "busbw", "algbw: 12.34 GB/s, devices: 8", "", ""};

  CHECK(verdict_name(audit_stated(broadcast, "21.60 GB/s").verdict) == "does not follow");
  CHECK(verdict_name(audit_stated(unsaid, "21.60 GB/s").verdict) == "follows");
  CHECK(verdict_name(audit_stated(unsaid, "99.99 GB/s").verdict) == "does not follow");
}

TEST_CASE("a bus bandwidth follows by the factor of its operation", "[audit]") {
  for (const names::OperationInfo& one : names::kOperationTable) {
    CAPTURE(one.name);
    const std::string bases = fmt::format("algbw: 12.34 GB/s, devices: 8, operation: {}", one.name);
    const StatedCase stated{"", "busbw", bases.c_str(), "", ""};

    const Finding finding =
        audit_stated(stated, fmt::format("{:.2f} GB/s", 12.34 * one.bus_factor(8.0)));

    // How many pairs of a ping-pong sent at the same time is not said.
    CHECK((finding.verdict == Verdict::kFollows) == (one.travel != names::Travel::kPairs));
  }
}

TEST_CASE("a throughput of a run is that of every length of the run", "[audit]") {
  // [1.45e12, 1.55e12] / [145266.5, 145267.5] is 2772 h or more, ten times less for [145e9, 155e9]
  const std::string yaml =
      test::one_table(
          "      - {column: model, quantity: model}\n"
          "      - {column: speed, quantity: throughput, unit: tok/s}\n",
          "    experiment: main\n") +
      "  - table: u\n    file: u.csv\n    where: line 5\n    experiment: main\n    columns:\n"
      "      - {column: tokens, quantity: tokens}\n"
      "      - {column: model, quantity: model}\n"
      "      - {column: time, quantity: total_time}\n";

  const auto findings =
      DatasetFolder(yaml,
                    {{"t.csv", "model,speed\nA,\"145,267\"\nB,\"99,999\"\n"},
                     {"u.csv", "tokens,model,time\n150B,A,288 h\n1.5T,A,288 h\n"}})
          .audit();

  CHECK(test::verdicts(findings) ==
        "time, tokens=150B 288 h: follows\ntime, tokens=1.5T 288 h: does not follow\n");
}

TEST_CASE("a time longer than its parts cannot be checked", "[audit]") {
  const StatedCase total{"", "total_time", "epochs: 10, epoch_time: 218.53s", "", ""};

  const Finding finding = audit_stated(total, "2,469.67s");

  CHECK(verdict_name(finding.verdict) == "cannot be checked");
  CHECK(finding.why == "it is more than epochs * epoch_time, as it may be");
  CHECK(finding.needs == "print what else is in it");
}

TEST_CASE("a throughput without a unit confirms and never refutes", "[audit]") {
  const StatedCase bare{"", "throughput", "batch_global: 4096, step_time: 10.0ms", "", ""};

  CHECK(verdict_name(audit_stated(bare, "409,600").verdict) == "follows");
  CHECK(verdict_name(audit_stated(bare, "999,999").verdict) == "cannot be checked");
}

}  // namespace
