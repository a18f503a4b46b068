// What a study says that no cell has, and what is refused where it stands.
#include <fmt/format.h>

#include "harness/study/remarks.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::kCommandHead;
using test::problems_of;
using test::study_of;

namespace {

std::vector<std::string> texts(const std::vector<Unmatched>& unmatched) {
  std::vector<std::string> all;
  for (const Unmatched& one : unmatched) {
    all.push_back(one.text);
  }
  return all;
}

}  // namespace

TEST_CASE("values that no cell has are pointed at, with those that there are", "[study]") {
  const std::string text = std::string(test::kHead) +
                           "axes: {devices: [1, 2], batch_global: [8, 16]}\n"
                           "exclude: [{devices: 1, batch_global: [8, 32]}]\n";
  CHECK(problems_of(text) ==
        "s.yaml:5:24: exclude rule 1: no cell has batch_global=32; there are 8; 16\n"
        "  exclude: [{devices: 1, batch_global: [8, 32]}]\n"
        "                         ^");
  // After --set it is told, and no mistake: of fewer values, say.
  const Study study = study_of(text, {"axes.batch_global=[8, 16]"});
  CHECK(texts(unmatched_values(study, expand(study))) ==
        std::vector<std::string>{"exclude rule 1: no cell has batch_global=32; there are 8; 16"});
}

TEST_CASE("a target and a purchase are of cells that there are", "[study]") {
  const std::string text =
      std::string(test::kHead) +
      "axes: {devices: [1, 2], batch_global: [8, 16]}\nexclude: [{devices: 2, batch_global: 8}]\n"
      "cost: {per_device_hour: 1, source: s, date: 2026-11-01, investments: [{name: card, price: "
      "9, where: {devices: 4}}]}\nanalysis:\n  targets:\n"
      "    - {name: a, metric: throughput, where: {devices: 3}, at_least: 1}\n"
      "    - {name: b, metric: throughput, where: {devices: 2, batch_global: 8}, at_least: 1}\n"
      "    - {name: c, metric: throughput, where: {devices: 2, batch_global: 16}, at_least: 1}\n";
  const std::string problems = problems_of(text);
  CHECK_THAT(problems,
             Catch::Contains("cost.investments[0].where: no cell has devices=4; there are 1; 2") &&
                 Catch::Contains("s.yaml:9:45: analysis.targets[0].where: no cell has devices=3") &&
                 Catch::Contains("targets[1].where: there are cells with each of these values, and "
                                 "none with all of them") &&
                 !Catch::Contains("targets[2]"));
}

TEST_CASE("a label is of a parameter that some table has", "[study]") {
  const std::string command =
      kCommandHead + "command: [a, '{x}']\naxes: {x: [1, 2]}\nreport: {labels: ";
  CHECK_THAT(
      problems_of(command + "{x: X, devices: D, zzz: Z}}\n"),
      Catch::StartsWith("s.yaml:7:37: report.labels.zzz is not a parameter of this study; it "
                        "has: x\n"));
  CHECK(problems_of(command + "{side: Version}}\n").empty());  // for `run --against`
  // After --set of cells a label may be of those that are left out this time.
  CHECK(problems_of(command + "{x: X, zzz: Z}}\n", {"axes.x=[4]"}).empty());
  CHECK_THAT(problems_of(test::kSmall + "report: {labels: {batch_per_device: B, env.X: X}}\n"),
             Catch::StartsWith("s.yaml:5:40: report.labels.env.X is not a parameter of this study; "
                               "it has: batch_global, devices\n"));
}

TEST_CASE("what publications call otherwise is a value, price or line of the study", "[study]") {
  const std::string text =
      std::string(test::kHead) +
      "parameters: {model: mlp-258k, batch_global: 64}\naxes: {devices: [1, 2]}\n"
      "cost: {per_device_hour: 1, lines: [{name: storage, per_hour: 1}]}\n"
      "report: {published_as: ";
  const std::string is_none =
      " is no value, price or line of cost of this study, and no part of a step";
  CHECK(problems_of(text + "{mlp-258: medium}}\n") ==
        "s.yaml:7:25: report.published_as.mlp-258" + is_none +
            " (did you mean \"mlp-258k\"?)\n"
            "  report: {published_as: {mlp-258: medium}}\n"
            "                          ^");
  CHECK_THAT(problems_of(text + "{quick: fast}}\n"),
             Catch::StartsWith("s.yaml:7:25: report.published_as.quick" + is_none +
                               "; it has: 1, 2, 64, declared, mlp-258k, storage\n"));
  // Up to 20 are listed.
  const auto of_values = [](const std::string& more, const std::string& name) {
    return problems_of(kCommandHead +
                       "command: [a, '{x}']\naxes: {x: [slow, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, "
                       "12, 13, 14, 15, 16, 17, 18, 19" +
                       more + "]}\nreport: {published_as: {" + name + ": fast}}\n");
  };
  CHECK_THAT(of_values("", "quick"),
             Catch::Contains(is_none + "; it has: 1, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 2, 3, "
                                       "4, 5, 6, 7, 8, 9, slow\n"));
  CHECK_THAT(of_values(", 20", "quick"), Catch::Contains(is_none + "\n"));
  CHECK_THAT(of_values(", 20", "slwo"), Catch::Contains(is_none + " (did you mean \"slow\"?)\n"));
  // Also a default, the batch of one of two devices, and the kind of scaling.
  CHECK(problems_of(text + "{mlp-258k: a, declared: b, storage: c, ddp: d, 32: e, strong: f}}\n")
            .empty());
  // After --set of cells a name may be of those that are left out this time.
  CHECK(problems_of(text + "{quick: fast}}\n", {"axes.devices=[4]"}).empty());
}

TEST_CASE("a tab is called one, where it stands", "[study]") {
  CHECK(problems_of("version: 1\nstudy: s\naxes:\n\tdevices: [1]\n") ==
        "s.yaml:4:1: a tab; YAML indents with spaces\n  \tdevices: [1]\n  ^");
  CHECK_THAT(problems_of("version: 1\ntrials:\n  \tcount: 2\n"),
             Catch::StartsWith("s.yaml:3:3: a tab; YAML indents with spaces"));
  // One in a comment, or behind a value, is not to blame.
  CHECK_THAT(problems_of("version: 1\n\t# x\nstudy: s\t# y\naxes: [1\n"),
             !Catch::Contains("a tab"));
}

// Without such a rule outcome.cc fails every trial that writes no protocol file.
TEST_CASE("extract rules without one for the step time are refused where they stand", "[study]") {
  const std::string head = "version: 1\nstudy: s\nworkload: command\naxes: {x: [1, 2]}\n";
  CHECK_THAT(problems_of(head + "extract: [{metric: loss, unit: '1', regex: '(.*)'}]\ncommand: [a, "
                                "'{x}']\n"),
             Catch::StartsWith("s.yaml:5:10: extract: no rule gives step_time_s") &&
                 Catch::Contains("{metric: step_time_s, from: wall_time}"));
  // The program writes the trial protocol, with step times in it.
  CHECK(problems_of(head + "command: [a, '{x}']\n").empty());
  CHECK(problems_of(head + "extract: {preset: nanogpt}\ncommand: [a, '{x}']\n").empty());
}

TEST_CASE("a metric that no trial of the workload has is refused, and what was meant is named",
          "[study]") {
  const auto problems = [](const char* workload, const std::string& metric) {
    return problems_of(
        fmt::format("version: 1\nstudy: s\nworkload: {}\naxes: {{devices: [2, 4], "
                    "{}: [64, 128]}}\nanalysis: {{metrics: [{{metric: {}, better: "
                    "lower}}]}}\n",
                    workload,
                    workload[0] == 't' ? "batch_global" : "message_bytes",
                    metric));
  };
  CHECK_THAT(problems("train", "peak_byte"),
             Catch::StartsWith("s.yaml:5:31: analysis.metrics[0].metric: no trial of train has a "
                               "metric peak_byte (did you mean \"peak_bytes\"?)"));
  CHECK_THAT(problems("collective", "loss"), Catch::Contains("no trial of collective has"));
  for (const char* metric : {"loss", "memory_buffers_bytes", "stage.0.layers", "wall_s"}) {
    CAPTURE(metric);
    CHECK(problems("train", metric).empty());
  }
  for (const char* metric : {"busbw_bytes_per_s", "gpu0_power_w", "network_eth0_sent_bytes"}) {
    CAPTURE(metric);
    CHECK(problems("collective", metric).empty());
  }
}

TEST_CASE("what excludes nothing is refused after --set of anything but cells", "[study]") {
  const std::string text =
      std::string(kCommandHead) + "command: [a, '{x}']\naxes: {x: [1, 2]}\nexclude: [{x: 3}]\n";
  CHECK(parse_study(text, "s.yaml", {"trials.count=3"}).problems.size() == 1);
  CHECK(parse_study(text, "s.yaml", {"exclude=[{x: 4}]"}).problems.size() == 1);
  CHECK(parse_study(text, "s.yaml", {"axes.x=[2, 4]"}).problems.empty());
}
