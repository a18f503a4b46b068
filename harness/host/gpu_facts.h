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
  // The most that the GPU and its slot can, with what that carries: "generation 5, 16 lanes, 63.0
  // GB/s each way"; of GPUs that differ "0: ...; 1: ...". Empty where NVML does not tell.
  std::string pcie;
  std::string numa;  // nodes of the CPUs' memory that is nearest: "node 0", or likewise
  // What joins GPUs, pairs by kind: "NVLink" or "PCIe peer access" or "no peer access", each with
  // its pairs: "NVLink: all pairs", "NVLink: 0-1, 2-3; no peer access: 0-2 ...". Empty for one GPU.
  std::string links;
  // The same with what each could carry: format_device_links of gpu_links.h's.
  std::string link_rates;
};

// Absent when the library is not there or finds no driver.
std::optional<GpuFacts> read_gpus(const std::string& library = "libnvidia-ml.so.1");

// Of a PCI Express link in each direction, in bytes/s, what its line code leaves of the lanes'
// rate: 2.5, 5, 8, 16 or 32 GT/s by generation, 8b/10b in the first two and 128b/130b from the
// third on. Packet headers take some of it. 0 for another generation.
//   source  PCI Express Base Specification 5.0, 4.2.1, 4.2.2 and 8.3.
double pcie_bytes_per_s(unsigned generation, unsigned lanes);

// How many of `count` GPUs a program sees with this value of CUDA_VISIBLE_DEVICES (absent: all).
// CUDA ends the list at the first entry that names no GPU.
std::int64_t visible_gpus(std::int64_t count, const std::optional<std::string>& visible_devices);

}  // namespace scalestudy
