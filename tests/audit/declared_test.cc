// Rules of columns, total rows, parts and methods of their own.
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using test::audit_table;
using test::verdicts;

std::string two_columns(const std::string& rule) {
  return "      - {column: a, quantity: time, unit: s}\n"
         "      - {column: b, quantity: time, unit: s}\n"
         "      - {column: c, " +
         rule + "}\n";
}

TEST_CASE("a rule over columns follows to the edge of their intervals", "[audit]") {
  // a = [9.95, 10.05], b = [3.95, 4.05]
  struct Case {
    const char* rule;
    const char* follows;
    const char* off;
  };
  for (const Case& c : {
           Case{"quantity: time, follows: {sum: [a, b]}", "14.1s", "14.3s"},         // 13.9 .. 14.1
           Case{"quantity: time, follows: {difference: [a, b]}", "6.10s", "6.11s"},  // 5.9 .. 6.1
           Case{"quantity: other, follows: {product: [a, b]}", "40.70", "41.42"},  // 39.30 .. 40.70
           Case{"quantity: ratio, follows: {ratio: [a, b]}",
                "2.544x",
                "2.545x"},  // 2.4568 .. 2.5443
           Case{"quantity: saving, follows: {saving: [b, a]}",
                "60.7%",
                "60.8%"},  // 59.30 .. 60.70 %
           Case{"quantity: change, follows: {change: [a, b]}", "154.4%", "154.6%"},  // .. 154.43 %
       }) {
    CAPTURE(c.rule);
    const std::string csv =
        std::string("a,b,c\n10.0,4.0,") + c.follows + "\n10.0,4.0," + c.off + "\n";
    CHECK(verdicts(audit_table(two_columns(c.rule), csv)) == std::string("c, row 1 ") + c.follows +
                                                                 ": follows\nc, row 2 " + c.off +
                                                                 ": does not follow\n");
  }
}

TEST_CASE("how far off a figure is takes its sign into account", "[audit]") {
  // a = [9.95, 10.05], b = [3.95, 4.05]: b / a - 1 is -60.8 % to -59.2 %, b - a -6.1 to -5.9.
  struct Case {
    const char* rule;
    const char* printed;
    const char* why;
  };
  for (const Case& c : {
           Case{
               "quantity: change, follows: {change: [b, a]}", "60%", "printed with the other sign"},
           Case{"quantity: change, follows: {change: [a, b]}",
                "-60%",
                "printed with the other sign"},
           Case{"quantity: other, follows: {difference: [b, a]}",
                "-18.00",
                "printed 3.0 times what follows"},  // 1 + (17.995 - 6.1) / 6.0 = 2.98
       }) {
    CAPTURE(c.rule);
    const auto findings =
        audit_table(two_columns(c.rule), std::string("a,b,c\n10.0,4.0,") + c.printed + "\n");
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].why == c.why);
  }
}

TEST_CASE("a sum and a total one unit further follow only if digits were cut off", "[audit]") {
  // 10.0 s and 4.0 s cut off: [14.0, 14.2) s. 5 and 212 cut off: [217, 219).
  CHECK(verdicts(audit_table(two_columns("quantity: time, follows: {sum: [a, b]}"),
                             "a,b,c\n10.0,4.0,14.2s\n")) == "c 14.2s: follows if cut off\n");
  CHECK(verdicts(audit_table("      - {column: phase, quantity: label}\n"
                             "      - {column: time, quantity: time, unit: s}\n",
                             "phase,time\nload,5\ncompute,212\nTotal,218.9\n",
                             "    total_row: {phase: Total}\n")) ==
        "time, phase=Total 218.9: follows if cut off\n");
}

TEST_CASE("nothing takes less than no time, whatever its rounding", "[audit]") {
  // 0.0 s is [0, 0.05] s: the sum is 3.95 s or more, not 3.90.
  const auto findings = audit_table(
      "      - {column: a, quantity: communication_time, unit: s}\n"
      "      - {column: b, quantity: compute_time, unit: s}\n"
      "      - {column: c, quantity: time, follows: {sum: [a, b]}}\n",
      "a,b,c\n0.0,4.0,3.95s\n0.0,4.0,3.92s\n");

  CHECK(verdicts(findings) == "c, row 1 3.95s: follows\nc, row 2 3.92s: does not follow\n");
}

TEST_CASE("a rule replaces what the quantity would be checked by", "[audit]") {
  const auto findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: old, quantity: time, unit: s}\n"
      "      - {column: new, quantity: time, unit: s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}, follows: {ratio: [old, "
      "new]}}\n",
      "devices,throughput,old,new,speedup\n1,101,9.0,9.0,1.0x\n2,999,9.0,6.0,1.5x\n");

  CHECK(verdicts(findings) ==
        "speedup, devices=1 1.0x: follows\nspeedup, devices=2 1.5x: follows\n");
  CHECK(findings[1].formula == "old / new");
}

TEST_CASE("a rule whose base is not printed, or is a bound, cannot be checked", "[audit]") {
  const auto findings = audit_table(two_columns("quantity: ratio, follows: {ratio: [a, b]}"),
                                    "a,b,c\n-,4.0,2.5x\n<10.0,4.0,2.5x\n10.0,0.0,2.5x\n");

  CHECK(findings[0].why == "a is not printed in its row");
  CHECK(findings[1].why == "a, row 2 (<10.0) is only a bound");
  CHECK(findings[2].why == "a divisor may be zero within its rounding");
  CHECK(findings[0].needs == "print a in its row");
  CHECK(findings[1].needs == "print a, row 2 itself");
  CHECK(findings[2].needs == "print the divisor with more digits");
  for (const Finding& finding : findings) {
    CHECK(verdict_name(finding.verdict) == "cannot be checked");
  }
}

const std::string kPhases =
    "      - {column: phase, quantity: label}\n"
    "      - {column: time, quantity: time, unit: s}\n"
    "      - {column: speedup, quantity: ratio}\n";
const std::string kTotalRow = "    total_row: {phase: Total}\n";

TEST_CASE("a total row is the sum of the others to the edge of their intervals", "[audit]") {
  // [4.5, 5.5] + [211.5, 212.5]: 216 .. 218; 218.4 is [218.35, 218.45], "219" [218.5, 219.5]
  const std::string csv = "phase,time,speedup\nload,5,1.0x\ncompute,212,2.0x\nTotal,";

  CHECK(verdicts(audit_table(kPhases, csv + "218.0,1.8x\n", kTotalRow)) ==
        "time, phase=Total 218.0: follows\n");
  CHECK(verdicts(audit_table(kPhases, csv + "219.2,1.8x\n", kTotalRow)) ==
        "time, phase=Total 219.2: does not follow\n");
}

TEST_CASE("a total of which a part is not printed cannot be checked", "[audit]") {
  const auto findings = audit_table(
      kPhases, "phase,time,speedup\nload,-,1.0x\ncompute,212,2.0x\nTotal,999,1.8x\n", kTotalRow);

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].why == "not every part of the sum is printed");
  CHECK(findings[0].needs == "print every part of the sum");
}

TEST_CASE("a column that says so is summed or not", "[audit]") {
  const std::string csv = "phase,time,share\nload,5,40%\ncompute,212,60%\nTotal,1,90%\n";
  const std::string columns =
      "      - {column: phase, quantity: label}\n"
      "      - {column: time, quantity: time, unit: s, total: false}\n"
      "      - {column: share, quantity: share, total: true}\n";

  CHECK(verdicts(audit_table(columns, csv, kTotalRow)) ==
        "share, phase=Total 90%: follows\n");  // [35, 45] + [55, 65]: 90 .. 110 %
}

TEST_CASE("a part is at most its whole", "[audit]") {
  const std::string columns =
      "      - {column: part, quantity: time, unit: s, part_of: whole}\n"
      "      - {column: whole, quantity: time, unit: s}\n";

  // 4.1 is [4.05, 4.15], 4.0 reaches to 4.05.
  const auto findings = audit_table(columns, "part,whole\n1.0,4.0\n4.1,4.0\n4.2,4.0\n1.0,-\n");

  CHECK(verdicts(findings) ==
        "part, row 1 1.0: follows\npart, row 2 4.1: follows\npart, row 3 4.2: does not follow\n"
        "part, row 4 1.0: cannot be checked\n");
  CHECK(findings[2].why == "a part larger than its whole");
  CHECK(findings[2].recomputed_text == "3.95 s to 4.05 s");
  CHECK(findings[3].why == "whole is not printed in its row");
  CHECK(findings[3].needs == "print whole in its row");
}

TEST_CASE("a figure with a method of its own cannot be checked, and says which", "[audit]") {
  const auto findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}, own_method: paired "
      "ratios}\n",
      "devices,throughput,speedup\n1,101,1.0x\n2,199,9.9x\n");

  REQUIRE(findings.size() == 3);
  CHECK(verdict_name(findings[1].verdict) == "implausible");  // 9.9x of 2 devices
  CHECK(verdict_name(findings[2].verdict) == "cannot be checked");
  CHECK(findings[2].why == "it has a method of its own: paired ratios");
  CHECK(findings[2].needs == "print the figures that its method starts from");
}

TEST_CASE("of several bases that are not printed the first is told", "[audit]") {
  const auto findings =
      audit_table("      - {column: share, quantity: memory_share}\n", "share\n40%\n");

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].why == "memory / memory_capacity: no memory is printed for it");
  CHECK(findings[0].needs == "print its memory");
}

TEST_CASE("a saving without a rule cannot be checked", "[audit]") {
  const auto findings = audit_table("      - {column: saved, quantity: saving}\n", "saved\n63%\n");

  REQUIRE(findings.size() == 1);
  CHECK(findings[0].why == "no relation knows such a figure, and none is declared");
  CHECK(findings[0].needs == "say what it follows from (`follows`)");
}

}  // namespace
