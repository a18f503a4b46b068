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
  std::string pcie;                 // of GPU 0, the most it can: "generation 5, 16 lanes"
  // What joins GPUs, pairs by kind: "NVLink" or "PCIe peer access" or "no peer access", each with
  // its pairs: "NVLink: all pairs", "NVLink: 0-1, 2-3; no peer access: 0-2 ...". Empty for one GPU.
  std::string links;
};

// Absent when the library is not there or finds no driver.
std::optional<GpuFacts> read_gpus(const std::string& library = "libnvidia-ml.so.1");

// How many of `count` GPUs a program sees with this value of CUDA_VISIBLE_DEVICES (absent: all).
// CUDA ends the list at the first entry that names no GPU.
std::int64_t visible_gpus(std::int64_t count, const std::optional<std::string>& visible_devices);

}  // namespace scalestudy
