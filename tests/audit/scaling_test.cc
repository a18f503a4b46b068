// Speedup and efficiency by hand: the outermost printed value that follows, one unit further, and
// which run they are relative to.
#include <set>

#include <fmt/format.h>

#include "harness/audit/check/relation.h"
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using test::audit_table;

// A run of one device (or node) and one of four, in a table with the base's columns.
struct ScaledCase {
  const char* formula;
  const char* quantity;
  const char* extra;    // YAML of `fixed`
  const char* columns;  // further columns, one "name quantity unit" each, "|" between
  const char* first;    // their cells for 1, and for 4
  const char* second;
  const char* follows;
  const char* off;
};

const std::vector<ScaledCase> kScaledCases{
    // [4370.5, 4371.5] / [1150.5, 1151.5]: 3.79548 .. 3.79965
    {"throughput / baseline throughput",
     "speedup",
     "",
     "throughput throughput img/s",
     "\"1,151\"",
     "\"4,371\"",
     "3.800x",
     "3.801x"},
    // [1092.5, 1093.5] x 4 / [1150.5, 1151.5]: 3.79505 .. 3.80183
    {"throughput_per_device * devices / (baseline throughput_per_device * baseline devices)",
     "speedup",
     "",
     "each throughput_per_device img/s",
     "1151",
     "1093",
     "3.802x",
     "3.803x"},
    // [99.75, 99.85] / [31.15, 31.25]: 3.19200 .. 3.20546
    {"baseline step_time / step_time",
     "speedup",
     "scaling: strong",
     "step step_time ms",
     "99.8",
     "31.2",
     "3.205x",
     "3.206x"},
    // 4 x [27.75, 27.85] / [29.15, 29.25]: 3.79487 .. 3.82161
    {"baseline step_time / step_time * (devices / baseline devices)",
     "speedup",
     "scaling: weak",
     "step step_time ms",
     "27.8",
     "29.2",
     "3.822x",
     "3.823x"},
    {"baseline epoch_time / epoch_time * (devices / baseline devices)",
     "speedup",
     "scaling: weak",
     "time epoch_time s",
     "27.8",
     "29.2",
     "3.822x",
     "3.823x"},
    {"baseline total_time / total_time * (devices / baseline devices)",
     "speedup",
     "scaling: weak",
     "time total_time h",
     "27.8",
     "29.2",
     "3.822x",
     "3.823x"},
    // [218.45, 218.55] / [65.15, 65.25]: 3.34789 .. 3.35457
    {"baseline epoch_time / epoch_time",
     "speedup",
     "",
     "time epoch_time s",
     "218.5",
     "65.2",
     "3.355x",
     "3.356x"},
    {"baseline total_time / total_time",
     "speedup",
     "",
     "time total_time h",
     "218.5",
     "65.2",
     "3.355x",
     "3.356x"},
    // [3.355, 3.365] / 4: 83.875 .. 84.125 %
    {"speedup / (devices / baseline devices)",
     "efficiency",
     "",
     "speedup speedup x",
     "1.00",
     "3.36",
     "84.13%",
     "84.14%"},
    // [4370.5, 4371.5] / [1150.5, 1151.5] / 4: 94.8871 .. 94.9913 %
    {"throughput / baseline throughput / (devices / baseline devices)",
     "efficiency",
     "",
     "throughput throughput img/s",
     "\"1,151\"",
     "\"4,371\"",
     "94.99%",
     "95.00%"},
    // [1092.5, 1093.5] / [1150.5, 1151.5]: 94.8762 .. 95.0456 %
    {"throughput_per_device / baseline throughput_per_device",
     "efficiency",
     "",
     "each throughput_per_device img/s",
     "1151",
     "1093",
     "95.05%",
     "95.06%"},
    // [99.75, 99.85] / [31.15, 31.25] / 4: 79.80 .. 80.1364 %
    {"baseline step_time / step_time / (devices / baseline devices)",
     "efficiency",
     "scaling: strong",
     "step step_time ms",
     "99.8",
     "31.2",
     "80.14%",
     "80.15%"},
    // [27.75, 27.85] / [29.15, 29.25]: 94.8718 .. 95.5403 %
    {"baseline step_time / step_time",
     "efficiency",
     "scaling: weak",
     "step step_time ms",
     "27.8",
     "29.2",
     "95.54%",
     "95.55%"},
    // [218.45, 218.55] / [65.15, 65.25] / 4: 83.6973 .. 83.8642 %
    {"baseline epoch_time / epoch_time / (devices / baseline devices)",
     "efficiency",
     "",
     "time epoch_time s",
     "218.5",
     "65.2",
     "83.86%",
     "83.87%"},
    {"baseline total_time / total_time / (devices / baseline devices)",
     "efficiency",
     "",
     "time total_time h",
     "218.5",
     "65.2",
     "83.86%",
     "83.87%"},
};

std::string column_items(const std::string& spec) {
  std::string items;
  for (std::size_t at = 0; at < spec.size();) {
    const std::size_t end = std::min(spec.find('|', at), spec.size());
    const std::string one = spec.substr(at, end - at);
    const std::size_t first = one.find(' ');
    const std::size_t second = one.find(' ', first + 1);
    items += fmt::format("      - {{column: {}, quantity: {}, unit: {}}}\n",
                         one.substr(0, first),
                         one.substr(first + 1, second - first - 1),
                         one.substr(second + 1));
    at = end + 1;
  }
  return items;
}

// The finding about the second row's last column.
Finding audit_scaled(const ScaledCase& c, const std::string& scale, const std::string& printed) {
  const std::string columns = fmt::format(
      "      - {{column: {0}, quantity: {0}}}\n{1}"
      "      - {{column: target, quantity: {2}, baseline: {{{0}: 1}}}}\n",
      scale,
      column_items(c.columns),
      c.quantity);
  const std::string csv =
      fmt::format("{},{},target\n1,{},-\n4,{},{}\n",
                  scale,
                  std::string(c.columns).substr(0, std::string(c.columns).find(' ')),
                  c.first,
                  c.second,
                  printed);
  const std::string fixed = *c.extra == '\0' ? "" : fmt::format("    fixed: {{{}}}\n", c.extra);
  const std::vector<Finding> findings = audit_table(columns, csv, fixed);
  REQUIRE_FALSE(findings.empty());
  return findings.back();
}

std::string with_nodes(std::string formula) {
  for (std::size_t at = formula.find("devices"); at != std::string::npos;
       at = formula.find("devices", at)) {
    formula.replace(at, 7, "nodes");
  }
  return formula;
}

TEST_CASE("speedup and efficiency follow to the edge of what the two runs allow", "[audit]") {
  for (const ScaledCase& c : kScaledCases) {
    CAPTURE(c.formula, c.follows, c.off);
    const Finding follows = audit_scaled(c, "devices", c.follows);
    const Finding off = audit_scaled(c, "devices", c.off);

    CHECK(verdict_name(follows.verdict) == "follows");
    CHECK(follows.formula == c.formula);
    CHECK(off.verdict != Verdict::kFollows);
    CHECK(off.difference.value_or(0.0) != 0.0);
    // A tenth more than follows: no cut of these digits gives that.
    const double most = follows.recomputed->hi / (c.follows[5] == '%' ? 0.01 : 1.0);
    const Finding far = audit_scaled(
        c, "devices", fmt::format("{:.4f}{}", most * 1.1, c.follows[5] == '%' ? "%" : "x"));
    CHECK(verdict_name(far.verdict) == "does not follow");
  }
}

TEST_CASE("efficiency over nodes follows as efficiency over devices does", "[audit]") {
  std::size_t count = 0;
  for (const ScaledCase& c : kScaledCases) {
    const std::string formula = c.formula;
    if (std::string(c.quantity) != "efficiency" || !formula.ends_with("baseline devices)") ||
        formula.find("step_time") != std::string::npos) {
      continue;
    }
    CAPTURE(c.formula);
    CHECK(audit_scaled(c, "nodes", c.follows).formula == with_nodes(formula));
    CHECK(audit_scaled(c, "nodes", c.off).verdict != Verdict::kFollows);
    CHECK(verdict_name(audit_scaled(c, "nodes", "123.45%").verdict) == "does not follow");
    ++count;
  }
  CHECK(count == 4);
}

TEST_CASE("every relation of scaling has a case here", "[audit]") {
  std::set<std::string> covered;
  for (const ScaledCase& c : kScaledCases) {
    covered.insert(c.formula);
    covered.insert(with_nodes(c.formula));
  }
  for (const Relation& relation : relations()) {
    CAPTURE(relation.formula.text());
    CHECK(((relation.target != "speedup" && relation.target != "efficiency") ||
           relation.base == SpeedupBase::kLinear ||  // linear_base_test.cc
           covered.contains(relation.formula.text())));
  }
}

TEST_CASE("one formula that gives the figure is enough", "[audit]") {
  // 12,369 / 33,700 = 0.37, but 7.60 / 41.40 = 0.18: weak scaling, seen by the batches.
  const std::vector<Finding> findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: batch, quantity: batch_per_device}\n"
      "      - {column: step_time, quantity: step_time, unit: ms}\n"
      "      - {column: throughput, quantity: throughput, unit: samples/s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n",
      "devices,batch,step_time,throughput,speedup\n"
      "1,256,7.60,\"33,700\",-\n2,256,41.40,\"12,369\",0.37x\n");

  CHECK(test::verdicts(findings) ==
        "throughput, devices=1 33,700: follows\n"
        "throughput, devices=2 12,369: follows\n"
        "speedup, devices=2 0.37x: follows\n");
}

TEST_CASE("a speedup that is neither the strong nor the weak one does not follow", "[audit]") {
  const std::string columns =
      "      - {column: devices, quantity: devices}\n"
      "      - {column: step_time, quantity: step_time, unit: ms}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n";

  const std::vector<Finding> findings =
      audit_table(columns, "devices,step_time,speedup\n1,99.8,1.00x\n2,56.0,1.78x\n4,31.2,9.99x\n");

  CHECK(test::verdicts(findings) ==
        "speedup, devices=1 1.00x: follows\n"
        "speedup, devices=2 1.78x: follows\n"
        "speedup, devices=4 9.99x: implausible\n"
        "speedup, devices=4 9.99x: does not follow\n");
  CHECK_THAT(findings.back().why,
             Catch::Contains("nor is it baseline step_time / step_time (3.19"));
}

TEST_CASE("a figure that no choice of its bases gives does not follow", "[audit]") {
  const std::vector<Finding> findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: mean, quantity: throughput, unit: img/s}\n"
      "      - {column: best, quantity: throughput, unit: img/s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n",
      "devices,mean,best,speedup\n1,101,111,-\n2,199,222,1.50x\n");

  // 199 / 101 = 1.97, 222 / 111 = 2.00, 222 / 101 = 2.20, 199 / 111 = 1.79
  REQUIRE(findings.size() == 1);
  CHECK(verdict_name(findings[0].verdict) == "does not follow");
  CHECK(findings[0].recomputed_text == "1.780x to 1.805x");
}

TEST_CASE("with more choices of bases than one would try, a figure cannot be checked", "[audit]") {
  std::string columns = "      - {column: devices, quantity: devices}\n";
  std::string csv = "devices,";
  std::string one = "1,";
  std::string two = "2,";
  for (int i = 0; i < 9; ++i) {
    columns += fmt::format("      - {{column: t{}, quantity: throughput, unit: img/s}}\n", i);
    csv += fmt::format("t{},", i);
    one += fmt::format("1{}1,", i);
    two += fmt::format("2{}1,", i);
  }
  columns += "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n";

  const auto findings = audit_table(columns, csv + "speedup\n" + one + "-\n" + two + "9.99x\n");

  REQUIRE_FALSE(findings.empty());
  CHECK(verdict_name(findings.back().verdict) == "cannot be checked");
  CHECK(findings.back().needs == "say which of them is the throughput meant");
}

TEST_CASE("one choice of bases that gives the figure is enough", "[audit]") {
  const std::vector<Finding> findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: mean, quantity: throughput, unit: img/s}\n"
      "      - {column: best, quantity: throughput, unit: img/s}\n"
      "      - {column: time, quantity: epoch_time, unit: s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n",
      "devices,mean,best,time,speedup\n1,101,111,9.0,-\n2,199,222,6.0,1.97x\n");

  REQUIRE(findings.size() == 1);
  CHECK(verdict_name(findings[0].verdict) == "follows");
  CHECK(findings[0].bases.at(0).figure == "mean, devices=2");
}

TEST_CASE("a speedup without a declared or printed baseline cannot be checked", "[audit]") {
  const std::string columns =
      "      - {column: devices, quantity: devices}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n";
  const std::string csv = "devices,throughput,speedup\n2,199,1.97x\n4,398,3.94x\n";

  const auto undeclared =
      audit_table(columns + "      - {column: speedup, quantity: speedup}\n", csv);
  const auto unprinted = audit_table(
      columns + "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n", csv);

  CHECK(undeclared[0].why ==
        "throughput / baseline throughput: the run it is relative to is not declared (baseline)");
  CHECK(unprinted[0].why ==
        "throughput / baseline throughput: no throughput is printed for devices=1 with everything "
        "else equal");
  CHECK(undeclared[0].needs == "say what it is relative to (`baseline`)");
  CHECK(unprinted[0].needs == "print the throughput of devices=1 with everything else equal");
}

TEST_CASE("a baseline of another batch is taken where the batch is that of all devices, else told",
          "[audit]") {
  const std::vector<Finding> findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: batch, quantity: batch}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n",
      "devices,batch,throughput,speedup\n1,32,101,-\n2,64,199,1.97x\n4,64,398,3.94x\n");

  CHECK(test::verdicts(findings) ==
        "speedup, devices=2 1.97x: follows\n"
        "speedup, devices=4 3.94x: follows\n"
        "speedup, devices=4 3.94x: implausible\n");
  CHECK(findings.back().why ==
        "a comparison across batch (64 against 32) as well: part of it may come from that");
}

TEST_CASE("a batch that is no one number does not grow with the devices", "[audit]") {
  const std::vector<Finding> findings = audit_table(
      "      - {column: devices, quantity: devices}\n"
      "      - {column: batch, quantity: batch}\n"
      "      - {column: throughput, quantity: throughput, unit: img/s}\n"
      "      - {column: speedup, quantity: speedup, baseline: {devices: 1}}\n",
      "devices,batch,throughput,speedup\n1,32+,101,-\n2,64+,199,1.97x\n");

  CHECK(test::verdicts(findings) ==
        "speedup, devices=2 1.97x: follows\n"
        "speedup, devices=2 1.97x: implausible\n");
  CHECK_THAT(findings.back().why, Catch::Contains("a comparison across batch (64+ against 32+)"));
}

TEST_CASE("a fraction in a column of percentages is told by its factor of 100", "[audit]") {
  const auto why = [](const std::string& printed) {
    return audit_table(
               "      - {column: devices, quantity: devices}\n"
               "      - {column: throughput, quantity: throughput, unit: img/s}\n"
               "      - {column: efficiency, quantity: efficiency, unit: \"%\", baseline: "
               "{devices: "
               "1}}\n",
               "devices,throughput,efficiency\n1,1012,100\n2,1988," + printed + "\n")
        .back()
        .why;
  };

  CHECK(why("0.982") == "100 times as much follows: a fraction where a percentage is meant?");
  CHECK(why("0.912") == "printed 99 % below what follows");
  CHECK(why("1") == "printed 98 % below what follows");  // times 100, it would meet 50 to 150 %
}

}  // namespace
