// NVIDIA GPUs through NVML, loaded at run time: the harness is built and runs without CUDA.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/nvml.h"

namespace scalestudy {

struct GpuFacts {
  std::int64_t count = 0;           // GPUs in the machine, CUDA_VISIBLE_DEVICES not applied
  std::vector<std::string> models;  // by GPU
  std::string driver;               // "580.65.06"
  std::string cuda_driver;          // newest CUDA the driver knows, "13.0"
  // The fastest PCI Express link that GPU and slot allow: "generation 5, 16 lanes, 63.0 GB/s each
  // way"; for GPUs that differ "0: ...; 1: ...". Empty if NVML does not tell.
  std::string pcie;
  // NUMA nodes of the host memory nearest to the GPUs: "node 0"; else, like pcie, by GPU.
  std::string numa;
  // What joins GPUs ("NVLink", "PCIe peer access" or "no peer access"), each with its pairs:
  // "NVLink: all pairs", "NVLink: 0-1, 2-3; no peer access: 0-2 ...". Empty for one GPU.
  std::string links;
  // What each pair's link could carry: format_device_links() of read_gpu_links().
  std::string link_rates;
};

// Facts of this machine's GPUs; absent when the library is missing or finds no driver.
std::optional<GpuFacts> read_gpus(const std::string& library = kNvmlLibrary);

// The rate of a PCI Express link in each direction, in bytes/s, packet headers included: what the
// line code (8b/10b up to generation 2, 128b/130b from 3 on) leaves of 2.5, 5, 8, 16 or 32 GT/s a
// lane, by generation from 1 on. 0 for other generations.
// - source: PCI Express Base Specification 5.0, 4.2.1, 4.2.2 and 8.3.
double pcie_bytes_per_s(unsigned generation, unsigned lanes);

// How many of `count` GPUs a program sees with this value of CUDA_VISIBLE_DEVICES (absent: all).
// CUDA ends the list at the first entry that names no GPU.
std::int64_t visible_gpus(std::int64_t count, const std::optional<std::string>& visible_devices);

}  // namespace scalestudy
