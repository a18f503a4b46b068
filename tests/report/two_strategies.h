// A study that compares two strategies of training, and the answers to it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/report/answer/answer.h"
#include "tests/report/scratch_folder.h"
#include "tests/report/shipped_study.h"

namespace scalestudy::test {

// The study of this text, run by made-up trials and analysed.
inline report::ReportInput run_text(const std::string& text) {
  const ScratchFolder folder;
  folder.write("study.yaml", text);
  return run_shipped(folder.file("study.yaml"));
}

// The sentence of the answer about that; empty without one.
inline std::string sentence(const std::vector<report::Answer>& answers, const std::string& about) {
  const auto found = std::ranges::find(answers, about, &report::Answer::about);
  return found == answers.end() ? "" : found->sentence;
}

// One device against two that train by replicas or by shares, with no significant difference
// between these. An hour of a device is worth 3600, so that a step of 1 s on one device costs 1.
inline const std::string kTwoStrategies = R"(version: 1
study: two-strategies
workload: train
parameters: {backend: cpu, model: resnet50-cifar}
zip:
  - {devices: 1, nodes: 1, strategy: ddp, batch_per_device: 100}
  - {devices: 2, nodes: 1, strategy: ddp, batch_per_device: 100}
  - {devices: 2, nodes: 1, strategy: fsdp, batch_per_device: 100}
trials: {count: 4}
controls: [noop]
analysis:
  baseline: {devices: 1, nodes: 1, strategy: ddp}
  margin: 0.1%
  metrics: [{metric: peak_bytes, better: lower}]
  targets: [{name: it pays, metric: speedup, where: {strategy: fsdp}, at_least: 1.0}]
cost:
  per_device_hour: 3600
  currency: USD
  train: {epochs: 1, samples_per_epoch: 360000}
)";

}  // namespace scalestudy::test
