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

// The memory of the cell that needs most, over the ranks that share a machine; a cell that has too
// little memory goes before any that has enough.
struct MemoryNeed {
  std::string label;
  std::int64_t ranks = 1;                 // ranks of the cell on one machine
  double bytes_per_rank = 0.0;            // the workload's estimate
  std::optional<double> available_bytes;  // memory for all ranks together; absent for GPU memory
  double checkpoint_bytes = 0.0;          // checkpoints of all ranks, if save_dir is in memory

  // For ranks on GPUs: what a rank pins of the host's memory, and what all ranks and their
  // checkpoints may take of it.
  double host_bytes_per_rank = 0.0;
  std::optional<double> host_available_bytes{};

  // Memory of one device: as the study declares it (device_memory_gb), else of this machine's GPU.
  std::optional<double> device_bytes{};
  bool is_device_declared = false;

  // The memory that the largest models have to fit: device_bytes, else a rank's share of what is
  // available. By the workload's name of strategy and technique: the most model.layers that fit (0:
  // none does), and what a rank of such a model pins of the host's memory.
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

// Starts `program --describe` for the largest batch of each model and number of devices: memory
// grows with the batch and does not depend on communication. Then starts it once more for the cell
// that needs most, with the memory that its model may grow to.
// - study: of workload train; for other workloads nothing is started.
// - returns: nullopt without a description; if the program does not start, trials find that out.
// - throws: Error{kUsage} with the program's words when it refuses a cell's parameters.
std::optional<MemoryNeed> plan_memory(const Study& study,
                                      const Matrix& matrix,
                                      const std::filesystem::path& program,
                                      Launcher& launcher);

}  // namespace scalestudy
