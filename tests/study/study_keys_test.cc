// Every key of a study file: the parser and the schema, which lists them, take the same values.
#include "harness/study/sections/study_keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/sections/extract_presets.h"
#include "tests/study/study_schema.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"
#include "workloads/parameters/parameters.h"

using namespace scalestudy;
using test::schema_problems;
using test::study_schema;

namespace {

using Json = nlohmann::json;

// ---- values
// --------------------------------------------------------------------------------------

struct Words {
  const char* pointer;
  std::vector<std::string> words;
};

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const YamlNode& key : extract_presets().keys) {
    names.push_back(key.text);
  }
  return names;
}

TEST_CASE("the schema's words are those of the code", "[study]") {
  std::vector<std::string> workloads = protocol::builtin_workloads();
  workloads.emplace_back("command");
  CHECK(words_of<Workload>() == workloads);
  std::vector<std::string> controls = words_of<CellRole>();
  controls.erase(controls.begin());
  std::vector<std::string> designs = words_of<OrderDesign>();
  designs.pop_back();  // unknown: no study file asks for it
  const std::vector<Words> all{
      {"/properties/workload", words_of<Workload>()},
      {"/properties/controls/items", controls},
      {"/properties/where", words_of<Where>()},
      {"/properties/order/properties/design", designs},
      {"/properties/validity/properties/policy", words_of<DisturbancePolicy>()},
      {"/properties/validity/properties/calibration", words_of<Calibration>()},
      {"/properties/limits/properties/after_oom", words_of<AfterOom>()},
      {"/definitions/analysis/properties/outliers/properties/rule", words_of<OutlierMethod>()},
      {"/definitions/analysis/else/properties/thresholds/items/else/properties/metric",
       metric_names(&Metric::is_threshold)},
      {"/definitions/analysis/properties/laws/items", words_of<Law>()},
      {"/definitions/analysis/else/properties/targets/items/properties/metric",
       metric_names(&Metric::is_target)},
      {"/definitions/analysis/properties/metrics/items/properties/by", words_of<TrialStatistic>()},
      {"/definitions/extract_rule/properties/json", words_of<JsonForm>()},
      {"/definitions/extract_rule/properties/from/oneOf/0", words_of<ExtractSource>()},
      {"/definitions/extract_rule/properties/decimal", words_of<DecimalMark>()},
      {"/definitions/extract_rule/properties/preset", preset_names()},
  };

  for (const Words& each : all) {
    CAPTURE(each.pointer);
    CHECK(study_schema().document()[Json::json_pointer(each.pointer)]["enum"] == Json(each.words));
  }
}

// Key and values, some good and some not; the parser says which.
struct Values {
  std::string key;
  std::vector<std::string> values;
  std::vector<std::string> beside = {};  // other keys with a value, as "key=value"
};

// A record has no room for the times of a million steps' parts.
const std::vector<std::string> kLight{"parameters.timing=light"};

// A model whose tokens can be asked about.
const std::vector<std::string> kTokens{"parameters.model=gpt-tiny"};

// A device whose utilization can be asked about, too.
const std::vector<std::string> kRated{"parameters.model=gpt-tiny",
                                      "parameters.device_peak_flops=1e15"};

const std::vector<std::string> kDurations{
    "1s", "90 s", "0.5min", ".5h", "5.ms", "0s", "0.0s", "-1s", "5", "5m", "1us", "1d", "s"};
const std::vector<std::string> kPercents{"0%",
                                         "0.0%",
                                         "0.1%",
                                         ".5%",
                                         "2 %",
                                         "49%",
                                         "50%",
                                         "50.0%",
                                         "50.1%",
                                         "99%",
                                         "99.9%",
                                         "100%",
                                         "600%",
                                         "0.5",
                                         "50",
                                         "-5%"};

void check_agreement(const Values& each) {
  const std::string text =
      test::read_file(SCALESTUDY_SOURCE_DIR "/tests/study/examples/valid/everything.yaml");
  for (const std::string& value : each.values) {
    std::vector<std::string> overrides = each.beside;
    overrides.push_back(each.key + "=" + value);
    const ParsedStudy parsed = parse_study(text, "s.yaml", overrides);
    CAPTURE(each.key, value, parsed.study.source_text);
    CHECK(schema_problems(parsed.study.source_text).empty() == parsed.problems.empty());
  }
}

TEST_CASE("a rate of failures is above 0, and says where it is from", "[study]") {
  const std::string base = std::string(test::kHead) +
                           "axes: {devices: [1, 2], batch_global: [32, 64]}\n"
                           "analysis:\n";
  CHECK_THAT(test::problems_of(base + "  failures: {per_device_hour: 0, source: a}\n"),
             Catch::Matchers::StartsWith(
                 "s.yaml:6:31: analysis.failures.per_device_hour is 0; a rate above 0 is required; "
                 "where nothing fails, leave analysis.failures out\n"));
  CHECK_THAT(test::problems_of(base + "  failures: {per_device_hour: 1}\n"),
             Catch::Matchers::Contains("source"));
  const Study study = test::study_of(base + "  failures: {per_device_hour: 0.5, source: a list}\n");
  CHECK(study.analysis.failures->mtbf_s(1) == 7200.0);
  CHECK(study.analysis.failures->mtbf_s(8) == 900.0);
}

TEST_CASE("a time limit that no clock counts to is refused, and still read where it is stored",
          "[study]") {
  const std::string text = std::string(test::kHead) +
                           "axes: {devices: [1, 2], batch_global: [32, 64]}\n"
                           "limits: {timeout: 1e300h}\n";
  CHECK_THAT(test::problems_of(text),
             Catch::Matchers::Contains("limits.timeout is 1e300h; it must be 100000d at most"));
  CHECK(parse_stored_study(text, "s.yaml").limits.timeout_s == 3.6e303);
  CHECK_THAT(test::problems_of(text, {"limits.timeout=1e-30s"}),
             Catch::Matchers::Contains("limits.timeout is 1e-30s; it must be 0.001 µs at least"));
  CHECK(test::problems_of(text, {"limits.timeout=0.001 µs"}).empty());
  CHECK_THAT(test::problems_of(text, {"limits.timeout=1e308h"}),
             Catch::Matchers::Contains("limits.timeout: \"1e308h\" is too large"));
}

const std::vector<Values> kValues{
    {"version", {"1", "\"1\"", "2", "0", "one"}},
    {"study",
     {"a", "7", "a-b", "-a", "A", "a_b", std::string(64, 'a'), std::string(65, 'a'), "-1"}},
    {"title", {"T", "2024", "true", "\"\"", "[a]"}},
    {"report.published_as", {"{}", "{ddp: b}", "{ddp: \"\"}", "{ddp: [b]}", "ddp"}},
    {"report.labels", {"{}", "{devices: Cards}", "{devices: \"\"}", "{devices: [a]}", "Cards"}},
    {"steps.warmup", {"-1", "0", "1000000", "1000001", "1.5", "\"5\""}, kLight},
    {"steps.measured", {"0", "1", "1000000", "1000001"}, kLight},
    {"steps.warmup_time", kDurations},
    {"steps.measured_time", kDurations},
    {"trials.min", {"1", "2", "50", "\"2\""}},
    {"trials.max", {"10", "100000", "100001"}},
    {"trials.until", kPercents},
    {"trials",
     {"{count: 0}",
      "{count: 1}",
      "{count: 100000}",
      "{count: 100001}",
      "0",
      "1",
      "5",
      "100001",
      "\"5\"",
      "1.5",
      "[5]"}},
    {"controls", {"[]", "[noop]", "[barrier, aa]", "[noop, noop]", "[none]", "noop"}},
    {"order.design", {"blocks", "random"}},
    {"order.seed", {"-1", "0", "9223372036854775807"}},
    {"limits.timeout", kDurations},
    {"limits.silence", kDurations},
    {"limits.retries", {"-1", "0", "10", "11"}},
    {"limits.max_time", kDurations},
    {"validity.policy", {"flag", "requeue", "abort", "keep"}},
    {"validity.requeues", {"-1", "0", "10", "11"}},
    {"validity.foreign_load", kPercents},
    {"validity.throttled", kPercents},
    {"validity.gpu_utilization", kPercents},
    {"validity.gpu_memory", kPercents},
    {"validity.idle_wait", kDurations},
    {"validity.calibration", {"none", "blocks", "trials"}},
    {"validity.confirm", {"built_in", "always", "never", "none"}},
    {"build", {"[make]", "[]", "make", "[make, [a]]"}},
    {"sides",
     {"[{name: a}, {name: b}]",
      "[{name: a}]",
      "[]",
      "[{name: 1}, {name: v1.2}]",
      "[{name: -a}, {name: b}]",
      "[{name: a}, {commit: b}]",
      "[{name: a, commit: v1}, {name: b, env: {A: 1}, prefix: [env]}]",
      "[{name: a, prefix: []}, {name: b}]",
      "[{name: a, env: [A]}, {name: b}]"}},
    {"analysis.confidence", kPercents},
    {"analysis.margin", kPercents},
    {"analysis.outliers", {"{rule: tukey}", "{rule: none}", "{threshold: 0}", "{threshold: 0.1}"}},
    {"analysis.baseline", {"{devices: 1}", "{devices: 0}", "{devices: one}"}},
    {"analysis.thresholds.0.metric", {"speedup", "efficiency", "throughput"}},
    {"analysis.thresholds.0.between",
     {"{devices: [1, 2]}", "{devices: [1]}", "{devices: 1}", "{devices: [1, 1]}", "[]", "{}"}},
    {"analysis.thresholds.0.level", {"-1", "0", "0.1", "2", "50%"}},
    {"analysis.thresholds",
     {"[{metric: efficiency, along: batch_per_device, level: 85%}]",
      "[{metric: efficiency, along: batch_per_device, level: 2.1}]",
      "[{metric: speedup, along: batch_per_device, level: 85%}]"}},
    {"analysis.laws", {"[]", "[amdahl]", "[usl]", "[usl, usl]", "[gustafson]", "[amdhal]"}},
    {"analysis.communication",
     {"{study: a}",
      "{study: a, group: b=1}",
      "{study: a, hop_latency: 5us}",
      "{hop_latency: 5us, bytes_per_second: 1GB}",
      "{hop_latency: 5us, bytes_per_second: 1GB, group: b}",
      "{hop_latency: 5us, bytes_per_second: 1GB, study: b}",
      "{hop_latency: 0us, bytes_per_second: 1GB}",
      "{hop_latency: 5us, bytes_per_second: 1e9}",
      "{hop_latency: 5us}",
      "{}"}},
    {"analysis.projection.to", {"[4]", "[]", "[0]", "[1000001]", "[a]", "4", "[1.5]"}},
    {"analysis.projection.hold_out", {"largest", "smallest", "0", "1", "100", "101"}},
    {"analysis.projection.devices_per_node", {"0", "1", "1000001"}},
    {"analysis.scenarios.0.communication", {"added", "hidden", "none"}},
    {"analysis.scenarios.0.source", {"a", "null"}},
    {"analysis.scenarios.0.bytes", {"1MB", "0MB", "5"}},
    {"analysis.failures.per_device_hour", {"-1", "0", "1e-9", "100", "\"1\"", "1/h"}},
    {"analysis.failures.date", {"2026-11-01", "today"}},
    {"analysis.failures", {"{per_device_hour: 1, source: a}", "{per_device_hour: 1}", "{}"}},
    {"analysis.targets.0.name", {"a", "5", "\"\""}},
    {"analysis.targets.0.where", {"{devices: 2}", "{devices: 0}"}},
    {"cost.per_device_hour", {"-1", "0", "0.01", "3", "\"3\""}},
    {"cost.preemptions_per_device_hour", {"-1", "0", "1e-9", "3", "\"3\""}},
    {"cost.currency", {"EUR", "eur", "EURO", "E1R", "device-hours", "hours"}},
    {"cost.date", {"2026-11-01", "1.11.2026", "today"}},
    {"cost",
     {"{per_device_hour: 1}",
      "{per_node_hour: 1}",
      "{hardware: {price: 1600, years: 3}}",
      "{hardware: {price: 1600}}",
      "{hardware: {price: 1600, years: 3, devices: 0}}",
      "{per_device_hour: 1, per_node_hour: 1}",
      "{currency: EUR}"}},
    {"cost.prices",
     {"[]", "[{name: a, per_node_hour: 1}]", "[{name: a}]", "[{per_device_hour: 1}]"}},
    {"cost.energy", {"{watts_per_device: 1}", "{pue: 2}", "{watts_per_device: 1, pue: 0.9}"}},
    {"cost.train",
     {"{samples: 1e9}",
      "{epochs: 90, samples_per_epoch: 5}",
      "{epochs: 90}",
      "{samples: 1, samples_per_epoch: 5}",
      "{samples: 1, tokens: 1}",
      "{}"}},
    {"cost.train", {"{tokens: 1e12}"}, kTokens},
    {"cost.lines", {"[{name: a, per_hour: 1}]", "[{name: a}]", "[{per_training: 1}]"}},
    {"cost.investments",
     {"[{name: a, price: 1, where: {devices: 2}}]",
      "[{name: a, price: 0, where: {devices: 2}}]",
      "[{name: a, price: 1}]"}},
    {"report.template", {"scaling", "second-device", "other", "5", "\"\""}},
};

TEST_CASE("the parser and the schema agree on values of the study file's keys", "[study]") {
  for (const Values& each : kValues) {
    check_agreement(each);
  }
}

TEST_CASE("the parser and the schema agree on the bounds of every target", "[study]") {
  std::vector<std::string> bounds{"-1", "0", "1", "1.5", "2", "2.1", "50"};
  bounds.insert(bounds.end(), kDurations.begin(), kDurations.end());
  bounds.insert(bounds.end(), kPercents.begin(), kPercents.end());
  for (const std::string& metric : metric_names(&Metric::is_target)) {
    Values each{"analysis.targets", {}, kRated};
    for (const std::string& bound : bounds) {
      each.values.push_back(fmt::format("[{{name: a, metric: {}, at_most: {}}}]", metric, bound));
    }
    check_agreement(each);
  }
}

TEST_CASE("the parser and the schema agree on where a command's devices are", "[study]") {
  const std::string head =
      "version: 1\nstudy: s\nworkload: command\ncommand: [a]\naxes: {devices: [1]}\n";
  for (const char* lines : {"where: local",
                            "where: remote",
                            "where: cloud",
                            "where: remote\nvalidity: {idle_wait: 1s}",
                            "where: local\nvalidity: {idle_wait: 1s}"}) {
    CAPTURE(lines);
    CHECK(schema_problems(head + lines + "\n").empty() ==
          test::problems_of(head + lines + "\n").empty());
  }
}

TEST_CASE("the parser and the schema agree on commands as lists and as one text", "[study]") {
  const std::string head = "version: 1\nstudy: s\nworkload: command\naxes: {devices: [1]}\n";
  for (const char* key : {"command", "setup", "cleanup"}) {
    for (const char* value :
         {"[a]", "[]", "a b", "5", "\"\"", "[[a]]", "{a: b}", "\"a {devices}\""}) {
      std::string text = head + key + ": " + value + "\n";
      text += std::string(key) == "command" ? "" : "command: [a]\n";
      CAPTURE(text);
      CHECK(schema_problems(text).empty() == test::problems_of(text).empty());
    }
  }
}

TEST_CASE("the parser and the schema agree on own names beside the built-in workloads", "[study]") {
  for (const char* lines : {"workload: train\nparameters: {batch_global: 8, cap: 200}",
                            "workload: train\nparameters: {batch_global: 8, cap: 200}\n"
                            "setup: [\"true\", \"{cap}\"]",
                            "workload: collective\naxes: {devices: [2], cap: [1, 2]}\n"
                            "setup: set {cap}\ncleanup: [reset]",
                            "workload: train\nparameters: {batch_global: 8}\nsetup: []",
                            "workload: train\nparameters: {batch_global: 8}\ncwd: a"}) {
    const std::string text = std::string("version: 1\nstudy: s\n") + lines + "\n";
    CAPTURE(text);
    CHECK(schema_problems(text).empty() == test::problems_of(text).empty());
  }
}

TEST_CASE("the parser and the schema agree on the values of an extract rule", "[study]") {
  const std::string head =
      "version: 1\nstudy: s\nworkload: command\ncommand: [a]\naxes: {devices: [1]}\nextract: ";
  for (const char* rule :
       {"{metric: a_time_s, unit: ms, json_path: a}",
        "{metric: a_time_s, unit: furlongs, json_path: a}",
        "{metric: a, unit: furlongs, json_path: 5}",
        "{metric: a, unit: 1, mllog_key: a}",
        "{metric: A, unit: s, mllog_key: a}",
        "{metric: a, unit: s, regex: (a), group: 1}",
        "{metric: a, unit: s, mllog_key: a, group: 1}",
        "{metric: a, unit: s, mllog_key: a, json_path: b.c, difference: true}",
        "{metric: a, unit: s, regex: (a), json_path: b}",
        "{metric: a, json_path: b}",
        "{metric: a, unit: s, regex: (a), from: stderr}",
        "{metric: a, unit: s, regex: (a), from: disk}",
        "{metric: step_time_s, from: wall_time}",
        "{metric: step_time_s, unit: s, from: wall_time}",
        "{metric: step_time_s, from: wall_time, json_path: a}",
        "{metric: a_time_s, unit: it/s, json_path: a}",
        "{metric: a_time_s, unit: s/it, json_path: a}",
        "{metric: a_time_s, unit: it/s, json_path: a, per_step: 4}",
        "{metric: a_time_s, unit: samples/s, json_path: a}",
        "{metric: a_time_s, unit: samples/s, json_path: a, per_step: 512}",
        "{metric: a_time_s, unit: samples/s, json_path: a, per_step: 0}",
        "{metric: a_time_s, unit: us/token, json_path: a, per_step: '{devices} * 2'}",
        "{metric: a_time_s, unit: samples/furlong, json_path: a, per_step: 1}",
        "{metric: a_time_s, unit: s, json_path: a, per_step: 1}",
        "{metric: a, unit: samples/s, json_path: a, per_step: 1}",
        "{metric: a_bytes, unit: MiB, json_path: a}",
        "{metric: a_bytes, unit: bytes, json_path: a}",
        "{metric: a_bytes, unit: pages, json_path: a}",
        "{metric: a_bytes_per_s, unit: GB/s, json_path: a}",
        "{metric: a_bytes_per_s, unit: GB, json_path: a}",
        "{metric: a_time_s, unit: ns, json_path: a}",
        "{metric: a, unit: s, json_path: a, json: document}",
        "{metric: a, unit: s, json_path: a, json: lines, decimal: comma}",
        "{metric: a, unit: s, json_path: a, json: array}",
        "{metric: a, unit: s, regex: (a), json: document}",
        "{metric: a, unit: s, mllog_key: a, json_path: b, json: document}",
        "{metric: a, unit: s, regex: (a), decimal: point}",
        "{metric: a, unit: s, regex: (a), decimal: \",\"}",
        "{metric: a, unit: s, regex: (a), from: {file: out.txt}}",
        "{metric: a, unit: s, regex: (a), from: {file: \"{trial_folder}/{devices}.txt\"}}",
        "{metric: a, unit: s, regex: (a), from: {}}",
        "{metric: a, unit: s, regex: (a), from: {path: out.txt}}",
        "{metric: step_time_s, from: wall_time, decimal: comma}",
        "{metric: step_time_s, from: wall_time, json: document}",
        "{preset: nanogpt, decimal: comma}",
        "{preset: nanogpt}",
        "{preset: nanogpt, per_step: 2}",
        "{preset: torchtitan, per_step: 2}",
        "{preset: torchtitan}",
        "{preset: torchtune}",
        "{preset: nvbandwidth, per_step: 0.5}",
        "{preset: perftest}",
        "{preset: perftest, per_step: 2}",
        "{preset: unheard-of}",
        "{preset: nanogpt, metric: a}",
        "{metric: a, unit: s}"}) {
    const std::string text = head + "[" + rule + ", {metric: step_time_s, from: wall_time}]";
    CAPTURE(rule);
    CHECK(schema_problems(text).empty() == test::problems_of(text).empty());
  }
}

}  // namespace
