// NVIDIA GPUs through NVML, loaded at run time: the harness is built and runs without CUDA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace scalestudy {

struct GpuFacts {
  std::int64_t count = 0;           // in the machine, CUDA_VISIBLE_DEVICES not applied
  std::vector<std::string> models;  // one a GPU
  std::string driver;               // "580.65.06"
  std::string cuda_driver;          // newest CUDA the driver knows, "13.0"
};

// Absent when the library is not there or finds no driver.
std::optional<GpuFacts> read_gpus(const std::string& library = "libnvidia-ml.so.1");

// How many of `count` GPUs a program sees with this value of CUDA_VISIBLE_DEVICES (absent: all).
// CUDA ends the list at the first entry that names no GPU.
std::int64_t visible_gpus(std::int64_t count, const std::optional<std::string>& visible_devices);

}  // namespace scalestudy
