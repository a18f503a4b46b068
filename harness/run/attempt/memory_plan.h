// What the trials of a plan need of memory, as the workload program itself estimates it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/run/process/launcher.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// The cell that needs most, over the ranks that share a machine's memory; one that has too little
// before any that has enough.
struct MemoryNeed {
  std::string label;
  std::int64_t ranks = 1;                 // of this cell, on one machine
  double bytes_per_rank = 0.0;            // estimate of the workload
  std::optional<double> available_bytes;  // to all of them; absent for the memory of GPUs
  double checkpoint_bytes = 0.0;          // of all of them, where save_dir is kept in memory

  // Of GPUs: what a rank pins of the host's memory, and what all of them and their checkpoints may
  // take of it.
  double host_bytes_per_rank = 0.0;
  std::optional<double> host_available_bytes{};

  // Of one device, where the study declares it (device_memory_gb), else of this machine's GPU.
  std::optional<double> device_bytes{};
  bool is_device_declared = false;

  // What the largest models are for: device_bytes, else a rank's share of what is available; and
  // by the workload's name of strategy and technique the most model.layers that fit, 0: none does,
  // and what a rank of such a model pins of the host's memory.
  std::optional<double> fit_bytes{};
  std::map<std::string, double> largest_layers{};
  std::map<std::string, double> largest_host_bytes{};

  bool exceeds() const {
    return (available_bytes && total_bytes() > *available_bytes) || exceeds_host() ||
           (device_bytes && bytes_per_rank > *device_bytes);
  }
  bool exceeds_host() const { return host_available_bytes && host_bytes() > *host_available_bytes; }
  double total_bytes() const {
    return bytes_per_rank * static_cast<double>(ranks) +
           (host_available_bytes ? 0.0 : checkpoint_bytes);
  }
  double host_bytes() const {
    return host_bytes_per_rank * static_cast<double>(ranks) + checkpoint_bytes;
  }
};

// Starts `program --describe` for the largest batch of each model and number of devices: what cells
// differ in communication does not matter, and more samples need more memory. Then once more for
// the one that needs most, with the memory that its model may grow to.
//   study    of workload train; nothing is asked of others.
//   returns  nullopt where no description was had; a program that cannot be started is found out by
//            the trials.
//   throws   Error{kUsage} when the program refuses a cell's parameters, with its words.
std::optional<MemoryNeed> plan_memory(const Study& study,
                                      const Matrix& matrix,
                                      const std::filesystem::path& program,
                                      Launcher& launcher);

}  // namespace scalestudy
