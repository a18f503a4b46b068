// Every key of a study file: whether it belongs to what is measured and judged (study_hash), or may
// change after a trial.
#include <algorithm>
#include <map>
#include <set>

#include "harness/study/matrix/matrix.h"
#include "harness/study/sections/study_keys.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

using namespace scalestudy;

namespace {

// What says how results are shown, or is the same in every study: it may change after a trial.
const std::set<std::string> kShown{"version",
                                   "title",
                                   "secret",
                                   "on_finish",
                                   "versions",
                                   "report.template",
                                   "report.labels",
                                   "report.published_as"};

// Overrides that change a key, by key; of `everything` but where another study is named.
const std::map<std::string, std::vector<std::string>> kChanges{
    {"study", {"study=other"}},
    {"workload",
     {"a_command", "workload=collective", "command=null", "extract=null", "analysis=null"}},
    {"command", {"a_command", "command=[b, \"{devices}\"]"}},
    {"extract[].metric", {"a_command", "extract.0.metric=d"}},
    {"extract[].unit", {"a_command", "extract.0.unit=ms"}},
    {"extract[].regex", {"a_command", "extract.0.regex=(x)(b)"}},
    {"extract[].group", {"a_command", "extract.0.group=2"}},
    {"extract[].json_path", {"a_command", "extract.1.json_path=b"}},
    {"extract[].step_path", {"a_command", "extract.1.step_path=b"}},
    {"extract[].mllog_key", {"a_command", "extract.2.mllog_key=b"}},
    {"extract[].from", {"a_command", "extract.0.from=stderr"}},
    {"extract[].from.file", {"a_command", "extract.0.from={file: a}"}},
    {"extract[].json", {"a_command", "extract.1.json=document"}},
    {"extract[].per_step", {"a_command", "extract.3.per_step=9"}},
    {"extract[].decimal", {"a_command", "extract.0.decimal=comma"}},
    {"extract[].difference", {"a_command", "extract.0.difference=true"}},
    {"extract[].preset", {"a_command", "extract.3={preset: nanogpt}"}},
    {"fail_if", {"a_command", "fail_if=[a]"}},
    {"setup", {"a_command", "setup=[a]"}},
    {"cleanup", {"a_command", "cleanup=[a]"}},
    {"cwd", {"a_command", "cwd=a"}},
    {"where", {"a_command", "where=remote"}},
    {"build", {"build=[make]"}},
    {"sides[].name", {"with_sides", "sides.0.name=c"}},
    {"sides[].commit", {"with_sides", "sides.0.commit=v2"}},
    {"sides[].env", {"with_sides", "sides.1.env.A=c"}},
    {"sides[].prefix", {"with_sides", "sides.1.prefix=[b]"}},
    {"env", {"a_command", "env={A: b}"}},
    {"versions", {"a_command", "versions={a: [b]}"}},
    {"analysis.metrics[].metric", {"a_command", "analysis.metrics.0.metric=b"}},
    {"analysis.metrics[].better", {"a_command", "analysis.metrics.0.better=higher"}},
    {"analysis.metrics[].by", {"a_command", "analysis.metrics.0.by=p50"}},
    {"analysis.metrics[].margin", {"a_command", "analysis.metrics.0.margin=0.1%"}},
    {"analysis.time_to[].metric", {"a_command", "analysis.time_to.0.metric=b"}},
    {"analysis.time_to[].at_least", {"a_command", "analysis.time_to.0.at_least=50%"}},
    {"analysis.time_to[].at_most",
     {"a_command", "analysis.time_to.0.at_least=null", "analysis.time_to.0.at_most=2"}},
    {"parameters", {"parameters.seed=2"}},
    {"axes", {"axes.devices=[1, 2, 4]"}},
    {"zip", {"zip=[{nodes: 1}]"}},
    {"include", {"include=[{devices: 4, batch_per_device: 8}]"}},
    {"exclude", {"exclude=null"}},
    {"steps.warmup", {"steps.warmup=1"}},
    {"steps.measured", {"steps.measured=1"}},
    {"steps.warmup_time", {"steps.warmup_time=1s"}},
    {"steps.measured_time", {"steps.measured_time=1s"}},
    {"trials.count", {"a_command", "trials.count=4"}},
    {"trials.min", {"trials.min=11"}},
    {"trials.max", {"trials.max=51"}},
    {"trials.until", {"trials.until=1%"}},
    {"trials.for", {"trials.until=null", "trials.for=verdicts"}},
    {"search.largest",
     {"a_largest",
      "axes={batch_global: [8, 16]}",
      "search.largest=batch_global",
      "analysis.baseline={batch_global: 8}",
      "analysis.thresholds.0.along=batch_global"}},
    {"search.up_to", {"a_largest", "search.up_to=64"}},
    {"search.grid", {"a_largest", "search.grid=4"}},
    {"search.over", {"a_search", "search.over=[y, x]"}},
    {"search.defaults", {"a_search", "search.defaults={x: 2}"}},
    {"search.objective", {"a_search", "search.objective=c"}},
    {"search.budget", {"a_search", "search.budget=2h"}},
    {"search.max_trials", {"a_search", "search.max_trials=90"}},
    {"controls", {"controls=[aa]"}},
    {"order.design", {"a_command", "order.design=batch"}},
    {"order.seed", {"order.seed=1"}},
    {"limits.timeout", {"limits.timeout=1s"}},
    {"limits.silence", {"limits.silence=1s"}},
    {"limits.retries", {"limits.retries=0"}},
    {"limits.max_time", {"limits.max_time=8h"}},
    {"validity.policy", {"validity.policy=abort"}},
    {"validity.requeues", {"validity.requeues=3"}},
    {"validity.foreign_load", {"validity.foreign_load=11%"}},
    {"validity.throttled", {"validity.throttled=6%"}},
    {"validity.gpu_utilization", {"validity.gpu_utilization=3%"}},
    {"validity.gpu_memory", {"validity.gpu_memory=3%"}},
    {"validity.idle_wait", {"validity.idle_wait=2min"}},
    {"validity.calibration", {"validity.calibration=none"}},
    {"validity.confirm", {"validity.confirm=never"}},
    {"limits.after_oom", {"limits.after_oom=skip_larger"}},
    {"analysis.confidence", {"analysis.confidence=90%"}},
    {"analysis.outliers.rule", {"analysis.outliers.rule=tukey"}},
    {"analysis.outliers.threshold", {"analysis.outliers.threshold=4"}},
    {"analysis.baseline", {"analysis.baseline={devices: 2}"}},
    {"analysis.decide", {"analysis.decide=[devices]"}},
    {"analysis.margin", {"analysis.margin=1%"}},
    {"analysis.thresholds[].metric", {"analysis.thresholds.0.metric=efficiency"}},
    {"analysis.thresholds[].level", {"analysis.thresholds.0.level=1.1"}},
    {"analysis.thresholds[].along", {"analysis.thresholds.0.along=devices"}},
    {"analysis.thresholds[].between", {"between", "analysis.thresholds.0.between.x=[1, 3]"}},
    {"analysis.thresholds[].refine.to", {"refined", "analysis.thresholds.0.refine.to=4%"}},
    {"analysis.thresholds[].refine.max_cells",
     {"refined", "analysis.thresholds.0.refine.max_cells=6"}},
    {"analysis.thresholds[].refine.grid", {"refined", "analysis.thresholds.0.refine.grid=8"}},
    {"analysis.thresholds[].relative", {"a_largest", "analysis.thresholds.0.relative=false"}},
    {"analysis.within", {"analysis.within={throughput: 100}"}},
    {"analysis.laws", {"analysis.laws=[usl]"}},
    {"analysis.communication.study", {"analysis.communication={study: b}"}},
    {"analysis.communication.group", {"analysis.communication={study: b, group: c}"}},
    {"analysis.communication.hop_latency", {"analysis.communication.hop_latency=6us"}},
    {"analysis.communication.bytes_per_second", {"analysis.communication.bytes_per_second=11GB"}},
    {"analysis.communication.bytes", {"analysis.communication.bytes=101MB"}},
    {"analysis.communication.source", {"analysis.communication.source=b"}},
    {"analysis.communication.date", {"analysis.communication.date=2026-11-02"}},
    {"analysis.projection.to", {"analysis.projection.to=[4]"}},
    {"analysis.projection.hold_out", {"analysis.projection.hold_out=largest"}},
    {"analysis.projection.devices_per_node", {"analysis.projection.devices_per_node=4"}},
    {"analysis.scenarios[].name", {"analysis.scenarios.0.name=b"}},
    {"analysis.scenarios[].devices", {"analysis.scenarios.0.devices=[64]"}},
    {"analysis.scenarios[].compute", {"analysis.scenarios.0.compute=31ms"}},
    {"analysis.scenarios[].bytes", {"analysis.scenarios.0.bytes=101MB"}},
    {"analysis.scenarios[].hop_latency", {"analysis.scenarios.0.hop_latency=6us"}},
    {"analysis.scenarios[].bytes_per_second", {"analysis.scenarios.0.bytes_per_second=11GB"}},
    {"analysis.scenarios[].batch_per_device", {"analysis.scenarios.0.batch_per_device=33"}},
    {"analysis.scenarios[].communication", {"analysis.scenarios.0.communication=added"}},
    {"analysis.scenarios[].source", {"analysis.scenarios.0.source=b"}},
    {"analysis.failures.per_device_hour", {"analysis.failures.per_device_hour=0.02"}},
    {"analysis.failures.source", {"analysis.failures.source=b"}},
    {"analysis.failures.date", {"analysis.failures.date=2026-11-02"}},
    {"analysis.scenarios[].date", {"analysis.scenarios.0.date=2026-11-02"}},
    {"analysis.targets[].name", {"analysis.targets.0.name=b"}},
    {"analysis.targets[].metric", {"analysis.targets.0.metric=throughput"}},
    {"analysis.targets[].where", {"analysis.targets.0.where={devices: 1}"}},
    {"analysis.targets[].at_least", {"analysis.targets.0.at_least=1.5"}},
    {"analysis.targets[].at_most",
     {"analysis.targets.0.at_least=null", "analysis.targets.0.at_most=1.7"}},
    {"cost.per_device_hour", {"cost.per_device_hour=1"}},
    {"cost.currency", {"cost.currency=EUR"}},
    {"cost.preemptions_per_device_hour", {"cost.preemptions_per_device_hour=0.1"}},
    {"cost.per_node_hour", {"cost.per_device_hour=null", "cost.per_node_hour=3"}},
    {"cost.source", {"cost.source=b"}},
    {"cost.date", {"cost.date=2026-11-02"}},
    {"cost.hardware.price", {"hardware", "cost.hardware.price=1601"}},
    {"cost.hardware.years", {"hardware", "cost.hardware.years=4"}},
    {"cost.hardware.hours_a_year", {"hardware", "cost.hardware.hours_a_year=4001"}},
    {"cost.hardware.devices", {"hardware", "cost.hardware.devices=3"}},
    {"cost.prices[].name", {"cost.prices.0.name=b"}},
    {"cost.prices[].per_device_hour", {"cost.prices.1.per_device_hour=9"}},
    {"cost.prices[].per_node_hour", {"cost.prices.0.per_node_hour=9"}},
    {"cost.prices[].preemptions_per_device_hour",
     {"cost.prices.0.preemptions_per_device_hour=0.1"}},
    {"cost.prices[].source", {"cost.prices.0.source=b"}},
    {"cost.prices[].date", {"cost.prices.0.date=2026-11-02"}},
    {"cost.energy.watts_per_device", {"cost.energy.watts_per_device=1"}},
    {"cost.energy.per_kwh", {"cost.energy.per_kwh=1"}},
    {"cost.energy.kg_co2_per_kwh", {"cost.energy.kg_co2_per_kwh=1"}},
    {"cost.energy.pue", {"cost.energy.pue=1.1"}},
    {"cost.energy.source", {"cost.energy.source=b"}},
    {"cost.energy.date", {"cost.energy.date=2026-11-02"}},
    {"cost.train.samples", {"cost.train={samples: 5}"}},
    {"cost.train.tokens", {"of_tokens", "cost.train.tokens=5"}},
    {"cost.train.epochs", {"cost.train.epochs=91"}},
    {"cost.train.samples_per_epoch", {"cost.train.samples_per_epoch=5"}},
    {"cost.lines[].name", {"cost.lines.0.name=b"}},
    {"cost.lines[].per_hour", {"cost.lines.0.per_hour=1"}},
    {"cost.lines[].per_training", {"cost.lines.0.per_training=1"}},
    {"cost.lines[].source", {"cost.lines.0.source=b"}},
    {"cost.lines[].date", {"cost.lines.0.date=2026-11-02"}},
    {"cost.investments[].name", {"cost.investments.0.name=b"}},
    {"cost.investments[].price", {"cost.investments.0.price=1"}},
    {"cost.investments[].where", {"cost.investments.0.where={devices: 1}"}},
    {"cost.investments[].source", {"cost.investments.0.source=b"}},
    {"cost.investments[].date", {"cost.investments.0.date=2026-11-02"}},
    {"version", {"version=\"1\""}},
    {"title", {"title=Another"}},
    {"secret", {"secret=[HF_TOKEN]"}},
    {"on_finish", {"on_finish=[mail]"}},
    {"report.template", {"report.template=notes"}},
    {"report.labels", {"report.labels={devices: Cards}"}},
    {"report.published_as", {"report.published_as={mlp-4096: medium}"}},
};

const std::string kFourExtracts =
    "version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{devices}\"]\n"
    "axes: {devices: [2, 4]}\n"
    "trials: {count: 3}\n"
    "extract: [{metric: a, unit: s, regex: (a)(b), group: 1}, {metric: b, unit: s, json_path: a},\n"
    "          {metric: c, unit: s, mllog_key: a},\n"
    "          {metric: step_time_s, unit: samples/s, json_path: d, per_step: 8}]\n"
    "analysis: {metrics: [{metric: c, better: lower}], time_to: [{metric: c, at_least: 2}]}\n";

const std::string kSides =
    "sides: [{name: a, commit: v1}, {name: b, env: {A: b}, prefix: [env]}]\n";

const std::string kSearch =
    "version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{x}{y}\"]\naxes: {x: [1, 2], y: [1, "
    "2]}\n"
    "extract: [{metric: step_time_s, from: wall_time}, {metric: c, unit: s, json_path: a}]\n"
    "analysis: {metrics: [{metric: c, better: lower}]}\nsearch: {over: [x, y], budget: 1h}\n";

const std::string kHardware =
    "version: 1\nstudy: s\nworkload: train\nparameters: {model: mlp-258k, batch_global: 64}\n"
    "axes: {devices: [1, 2]}\ntrials: {count: 3}\n"
    "cost: {hardware: {price: 1600, years: 3, hours_a_year: 4000, devices: 2}}\n";

const std::string kOfTokens =
    "version: 1\nstudy: s\nworkload: train\nparameters: {model: gpt-tiny, batch_global: 64}\n"
    "axes: {devices: [1, 2]}\ntrials: {count: 3}\n"
    "cost: {per_device_hour: 1, train: {tokens: 4}}\n";

const std::string kRefined =
    "version: 1\nstudy: s\nworkload: train\nparameters: {model: mlp-258k}\n"
    "axes: {devices: [1, 2], batch_global: [8, 16, 32, 64, 128]}\ntrials: {count: 8}\n"
    "analysis: {baseline: {devices: 1}, thresholds: [{metric: speedup, along: batch_global, "
    "refine: {to: 5%}}]}\n";

const std::string kBetween =
    "version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{x}{y}\"]\naxes: {x: [1, 2, 3], y: "
    "[1, "
    "2]}\nextract: [{metric: step_time_s, from: wall_time}]\ntrials: {count: 8}\n"
    "analysis: {thresholds: [{between: {x: [1, 2]}, along: y}]}\n";

const std::string kLargest =
    "version: 1\nstudy: s\nworkload: train\nparameters: {model: mlp-258k}\naxes: "
    "{batch_per_device: [8, 16]}\nsearch: {largest: batch_per_device, up_to: 128}\n"
    "analysis: {baseline: {batch_per_device: 8}, metrics: [{metric: accuracy, better: higher}], "
    "thresholds: [{metric: accuracy, "
    "level: 0.9, along: batch_per_device}]}\n";

std::string everything() {
  return test::read_file(SCALESTUDY_SOURCE_DIR "/tests/study/examples/valid/everything.yaml");
}

TEST_CASE("every key that decides or judges is hashed into the study and told as a difference",
          "[study]") {
  for (const std::string& key : test::all_keys()) {
    const auto sections = study_sections();
    const bool is_section = std::any_of(sections.begin(), sections.end(), [&](const auto& section) {
      return section.name == key || section.name == key + "[]";
    });
    if (is_section) {
      continue;
    }
    CAPTURE(key);
    REQUIRE(kChanges.contains(key));
    std::vector<std::string> overrides = kChanges.at(key);
    const std::map<std::string, std::string> others{{"a_command", kFourExtracts},
                                                    {"with_sides", everything() + kSides},
                                                    {"hardware", kHardware},
                                                    {"of_tokens", kOfTokens},
                                                    {"refined", kRefined},
                                                    {"between", kBetween},
                                                    {"a_search", kSearch},
                                                    {"a_largest", kLargest}};
    const auto other = others.find(overrides.front());
    const std::string text = other == others.end() ? everything() : other->second;
    overrides.erase(overrides.begin(), overrides.begin() + (other == others.end() ? 0 : 1));
    const Study before = test::study_of(text);

    const Study after = test::study_of(text, overrides);

    CHECK((study_hash(after) != study_hash(before)) == !kShown.contains(key));
    CHECK(study_difference(before, after).empty() == kShown.contains(key));
  }
}

}  // namespace
