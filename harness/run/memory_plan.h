// What the trials of a plan need of memory, as the workload program itself estimates it.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "harness/run/launcher.h"
#include "harness/study/matrix.h"
#include "harness/study/study.h"

namespace scalestudy {

// The cell that needs most, over the ranks that share a machine's memory.
struct MemoryNeed {
  std::string label;
  std::int64_t ranks = 1;                 // of this cell, on one machine
  double bytes_per_rank = 0.0;            // estimate of the workload
  std::optional<double> available_bytes;  // to all of them; absent for the memory of GPUs
  double checkpoint_bytes = 0.0;          // of all of them, where save_dir is kept in memory

  // Of one, where the study declares it (device_memory_gb), and by strategy the largest
  // model.layers that fits it; 0: none does.
  std::optional<double> device_bytes{};
  std::map<std::string, double> largest_layers{};

  bool exceeds() const {
    return (available_bytes && total_bytes() > *available_bytes) ||
           (device_bytes && bytes_per_rank > *device_bytes);
  }
  double total_bytes() const {
    return bytes_per_rank * static_cast<double>(ranks) + checkpoint_bytes;
  }
};

// Starts `program --describe` for the largest batch of each model and number of devices: what cells
// differ in communication does not matter, and more samples need more memory.
//   study    of workload train; nothing is asked of others.
//   returns  nullopt where no description was had; a program that cannot be started is found out by
//            the trials.
//   throws   Error{kUsage} when the program refuses a cell's parameters, with its words.
std::optional<MemoryNeed> plan_memory(const Study& study,
                                      const Matrix& matrix,
                                      const std::filesystem::path& program,
                                      Launcher& launcher);

}  // namespace scalestudy
