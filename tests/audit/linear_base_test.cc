// Speedups that start with n at n devices: what they follow from, and what does not.
#include <set>

#include <fmt/format.h>

#include "harness/audit/check/relation.h"
#include "harness/audit/draft/draft.h"
#include "tests/audit/dataset_folder.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using namespace scalestudy::audit;

namespace {

using test::audit_table;
using test::verdicts;

const std::string kByDevices = "      - {column: devices, quantity: devices}\n";

std::string speedup_over(const std::string& baseline) {
  return "      - {column: speedup, quantity: speedup, baseline: {" + baseline + "}}\n";
}

// A table of 8 and 32 devices whose speedups start at 8, and the formula that they follow from.
struct LinearCase {
  const char* formula;  // without the baseline's speedup
  const char* extra;    // YAML of `fixed`
  const char* column;   // "quantity, unit: UNIT"
  const char* first;
  const char* last;
};

// 32 devices are 3.7625 times as fast as 8: 30.1.
const std::vector<LinearCase> kLinearCases{
    {"throughput / baseline throughput", "", "throughput, unit: img/s", "2880", "10836"},
    {"throughput_per_device * devices / (baseline throughput_per_device * baseline devices)",
     "",
     "throughput_per_device, unit: img/s",
     "360.0",
     "338.6"},
    {"baseline step_time / step_time", "scaling: strong", "step_time, unit: ms", "752.5", "200.0"},
    {"baseline step_time / step_time * (devices / baseline devices)",
     "scaling: weak",
     "step_time, unit: ms",
     "376.25",
     "400.0"},
    {"baseline epoch_time / epoch_time", "", "epoch_time, unit: s", "752.5", "200.1"},
    {"baseline total_time / total_time", "", "total_time, unit: h", "752.5", "200.1"},
    {"baseline epoch_time / epoch_time * (devices / baseline devices)",
     "scaling: weak",
     "epoch_time, unit: s",
     "376.25",
     "400.0"},
    {"baseline total_time / total_time * (devices / baseline devices)",
     "scaling: weak",
     "total_time, unit: h",
     "376.25",
     "400.0"},
};

TEST_CASE("speedups that start with n at n devices follow from n times the ratio", "[audit]") {
  std::set<std::string> covered{"speedup / (devices / baseline devices) / baseline speedup",
                                "speedup / (nodes / baseline nodes) / baseline speedup"};
  for (const char* time : {"epoch_time", "total_time"}) {
    const std::string formula =
        fmt::format("baseline {0} / {0} * (nodes / baseline nodes) * baseline speedup", time);
    const auto on_nodes = [&](const std::string& last) {
      return audit_table(fmt::format("      - {{column: nodes, quantity: nodes}}\n"
                                     "      - {{column: base, quantity: {}, unit: h}}\n",
                                     time) +
                             speedup_over("nodes: 8"),
                         "nodes,base,speedup\n8,376.25,8.0\n32,400.0," + last + "\n",
                         "    fixed: {scaling: weak}\n");
    };
    CAPTURE(formula);
    CHECK(on_nodes("30.1").back().formula == formula);
    CHECK(verdict_name(on_nodes("30.1").back().verdict) == "follows");
    CHECK(verdict_name(on_nodes("31.1").back().verdict) == "does not follow");
    covered.insert(formula);
  }
  for (const LinearCase& c : kLinearCases) {
    const auto audited = [&](const std::string& last) {
      return audit_table(
          kByDevices + fmt::format("      - {{column: base, quantity: {}}}\n", c.column) +
              speedup_over("devices: 8"),
          fmt::format("devices,base,speedup\n8,{},8.0\n32,{},{}\n", c.first, c.last, last),
          *c.extra == '\0' ? "" : fmt::format("    fixed: {{{}}}\n", c.extra));
    };
    const std::string formula = std::string(c.formula) + " * baseline speedup";
    CAPTURE(formula);
    const auto right = audited("30.1");

    CHECK(verdicts(right) ==
          "speedup, devices=8 8.0: follows\n"
          "speedup, devices=32 30.1: follows\n");
    CHECK(right.back().formula == formula);
    CHECK(verdict_name(audited("31.1").back().verdict) == "does not follow");
    // Over 8 devices as 1, as the first row is not.
    CHECK(verdict_name(audited("3.8").back().verdict) == "does not follow");
    covered.insert(formula);
  }
  for (const Relation& relation : relations()) {
    CAPTURE(relation.formula.text());
    CHECK((relation.base != SpeedupBase::kLinear || covered.contains(relation.formula.text())));
  }
}

TEST_CASE("efficiencies follow from speedups that start with n at n devices or nodes", "[audit]") {
  for (const char* name : {"devices", "nodes"}) {
    const std::string scale = name;
    const auto audited = [&](const std::string& last) {
      return audit_table(
          fmt::format("      - {{column: {0}, quantity: {0}}}\n", scale) +
              speedup_over(scale + ": 8") +
              fmt::format("      - {{column: efficiency, quantity: efficiency, unit: \"%\", "
                          "baseline: {{{}: 8}}}}\n",
                          scale),
          scale + ",speedup,efficiency\n8,8.0,100.0\n16,15.6," + last + "\n");
    };
    // 15.6 / 16 = 97.5 %
    CAPTURE(scale);
    const Finding right = audited("97.5").back();

    CHECK(verdict_name(right.verdict) == "follows");
    CHECK(right.formula == fmt::format("speedup / ({0} / baseline {0}) / baseline speedup", scale));
    CHECK(verdict_name(audited("92.5").back().verdict) == "does not follow");
  }
}

TEST_CASE("a first speedup with fewer digits than the others is read with as many", "[audit]") {
  const auto verdict = [](const std::string& first, const std::string& last) {
    return std::string(verdict_name(
        audit_table(kByDevices + "      - {column: rate, quantity: throughput, unit: img/s}\n" +
                        speedup_over("devices: 8"),
                    "devices,rate,speedup\n8,2881," + first + "\n32,10836," + last + "\n")
            .back()
            .verdict));
  };

  // 10,836 / 2,881 x [7.95, 8.05] reaches 30.28; [7.5, 8.5] would reach 31.97.
  for (const char* first : {"8.0", "8"}) {
    CHECK(verdict(first, "30.2") == "follows");
    CHECK(verdict(first, "30.6") == "does not follow");
  }
}

TEST_CASE("a speedup is above linear only beyond n times the ratio of devices", "[audit]") {
  const auto audited = [](const std::string& last) {
    return audit_table(kByDevices + speedup_over("devices: 8"),
                       "devices,speedup\n8,8.0\n16," + last + "\n");
  };

  CHECK(verdict_name(audited("15.6").front().verdict) == "cannot be checked");
  CHECK(audited("15.6").size() == 2);
  const std::vector<Finding> above = audited("17.1");
  REQUIRE(above.size() == 3);
  CHECK(above[1].formula == "speedup <= devices / baseline devices * baseline speedup");
}

std::string drafted(const std::string& markdown) {
  return draft_dataset(read_markdown(markdown), "a.md").files.at("dataset.yaml");
}

TEST_CASE("a draft takes the first row as the base if it prints its number of devices", "[audit]") {
  const std::string heads = "| Nodes | GPUs | img/s | Speedup |\n|--:|--:|--:|--:|\n";

  CHECK_THAT(
      drafted(heads + "| 1 | 8 | 2,880 | 8.0 |\n| 2 | 16 | 5,616 | 15.6 |\n"),
      Catch::Contains("baseline: {devices: 8}") && Catch::Contains("starts with 8 at 8 devices"));
  CHECK_THAT(drafted(heads + "| 2 | 16 | 2,880 | 2.0 |\n| 4 | 32 | 5,616 | 3.9 |\n"),
             Catch::Contains("baseline: {nodes: 2}"));
  CHECK_THAT(drafted(heads + "| 1 | 8 | 2,880 | 7.6 |\n| 2 | 16 | 5,616 | 15.6 |\n"),
             Catch::Contains("baseline: {devices: 1}"));
  CHECK_THAT(drafted("| GPUs | img/s | Speedup vs 1 GPU |\n|--:|--:|--:|\n| 8 | 2,880 | 8.0 |\n"
                     "| 16 | 5,616 | 15.6 |\n"),
             Catch::Contains("baseline: {devices: 1}"));
}

}  // namespace
