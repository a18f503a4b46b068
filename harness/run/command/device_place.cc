#include "harness/run/command/device_place.h"

#include <sstream>

#include <fmt/format.h>

#include "harness/base/read_environment.h"
#include "harness/study/parameters/parameter_rules.h"

namespace scalestudy {
namespace {

std::int64_t device_of(const Cell& cell) {
  const std::optional<Value> value = effective_value(cell.effective, kOnDevice);
  const auto* device = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  return device == nullptr ? 0 : *device;
}

}  // namespace

void choose_cores(const Cell& cell, std::int64_t cores, LaunchCommand& command) {
  const std::int64_t device = device_of(cell);
  if (device == 0) {
    return;
  }
  command.first_core = device * command.cores_per_rank;
  if (command.is_elsewhere) {
    command.unsupported =
        "control device_match is of the devices of this machine; run it without a hostfile and "
        "srun";
  } else if (command.cores_per_rank == 0 || command.first_core + command.cores_per_rank > cores) {
    command.unsupported =
        fmt::format("device {} has no cores of its own: this machine has {}", device, cores);
  }
}

void choose_gpu(const Cell& cell, std::int64_t gpus, LaunchCommand& command) {
  constexpr const char* variable = "CUDA_VISIBLE_DEVICES";
  const std::int64_t device = device_of(cell);
  if (device == 0) {
    return;
  }
  if (device >= gpus) {
    command.unsupported = fmt::format("device {} is no GPU: this machine has {}", device, gpus);
    return;
  }
  const auto given = command.environment.find(variable);
  std::istringstream visible(given != command.environment.end() ? given->second
                                                                : environment_variable(variable));
  std::string gpu;
  for (std::int64_t i = 0; i <= device && std::getline(visible, gpu, ','); ++i) {
  }
  command.environment[variable] = visible ? gpu : std::to_string(device);
}

}  // namespace scalestudy
