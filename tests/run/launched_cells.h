// Studies and cells of which tests look at the commands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/run/command/launch_command.h"
#include "workloads/parameters/parameters.h"

namespace scalestudy::test {

inline Study train_study() {
  Study study;
  study.workload = Workload::kTrain;
  study.steps = {.warmup = 3, .measured = 7};
  return study;
}

inline Cell cell_on(std::int64_t devices, Parameters parameters = {}) {
  Cell cell;
  cell.devices = devices;
  cell.parameters = std::move(parameters);
  cell.parameters["devices"] = devices;
  cell.effective = effective_parameters(Workload::kTrain, cell.parameters);
  return cell;
}

inline const LaunchResources kTwoCores{
    .cores = 2, .gpus = 0, .communication_cores = 0, .is_root = false, .program = "/opt/train"};

using Words = std::vector<std::string>;

}  // namespace scalestudy::test
