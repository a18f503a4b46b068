#include "harness/study/parameters/trial_metrics.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/yaml/fields.h"

namespace scalestudy {
namespace {

// Series and facts (workloads/protocol/FORMAT.md). Those that analysis keeps for itself are left
// out: emulated, is_steady, software_type, total_bytes, busbw_factor.
constexpr auto kTrain = std::to_array<std::string_view>({"accuracy",
                                                         "backward_time_s",
                                                         "batch_global",
                                                         "batch_per_device",
                                                         "best_accuracy",
                                                         "best_accuracy_sd",
                                                         "bucket_count",
                                                         "checkpoint_bytes",
                                                         "checkpoint_cached_share",
                                                         "checkpoint_load_time_s",
                                                         "checkpoint_save_time_s",
                                                         "checkpoint_written_bytes",
                                                         "collective_skew_time_s",
                                                         "collective_transfer_time_s",
                                                         "communication_thread_cores",
                                                         "communication_time_s",
                                                         "data_file_bytes",
                                                         "data_read_bytes",
                                                         "data_storage_share",
                                                         "data_thread_cores",
                                                         "data_time_s",
                                                         "declared_computation_s",
                                                         "declared_link_share",
                                                         "device_memory_bytes",
                                                         "downtime_s",
                                                         "driver_memory_bytes",
                                                         "driver_memory_of_process",
                                                         "epoch_accuracy",
                                                         "epoch_held_out_loss",
                                                         "epoch_loss",
                                                         "exposed_communication_max_time_s",
                                                         "exposed_communication_mean_time_s",
                                                         "exposed_communication_time_s",
                                                         "failure_detection_time_s",
                                                         "flop_per_sample",
                                                         "forward_time_s",
                                                         "gradient_bytes",
                                                         "held_out_loss",
                                                         "hidden_communication_time_s",
                                                         "host_memory_bytes",
                                                         "largest_layers",
                                                         "largest_parameter_count",
                                                         "loading_cpu_s",
                                                         "loss",
                                                         "lost_steps",
                                                         "model_flop_utilization",
                                                         "node_traffic_bytes",
                                                         "offload_bytes",
                                                         "optimizer_time_s",
                                                         "other_time_s",
                                                         "parameter_count",
                                                         "peak_bytes",
                                                         "pipeline_bubble",
                                                         "pipeline_bubble_ideal",
                                                         "preprocessing_cpu_s",
                                                         "recovery_time_s",
                                                         "seed",
                                                         "tail_bucket_bytes",
                                                         "threads",
                                                         "tokens_per_sample",
                                                         "traffic_bytes",
                                                         "wire_bytes"});
constexpr const char* kTrainPattern =
    "(memory|calculated)_(parameters|gradients|optimizer|activations|buffers|data)_bytes"
    "|stage\\.\\d+\\.(layers|parameter_count|flop_per_sample)"
    "|(shares|alone_samples_per_s)\\.rank_\\d+";

constexpr auto kCollective = std::to_array<std::string_view>({"algbw_bytes_per_s",
                                                              "busbw_bytes_per_s",
                                                              "copy_bandwidth_bytes_per_s",
                                                              "copy_bytes",
                                                              "device_compute_capability",
                                                              "device_memory_bytes",
                                                              "device_memory_bytes_per_s",
                                                              "device_multiprocessors",
                                                              "operations_per_step",
                                                              "peak_bytes",
                                                              "triad_beside_bytes_per_s",
                                                              "triad_bytes_per_s"});

// Of both, and what the harness watches while they run (views trial_metrics and readings).
constexpr auto kEveryTrial = std::to_array<std::string_view>({"affinity_cores",
                                                              "calibration_after_s",
                                                              "calibration_before_s",
                                                              "cores_per_rank",
                                                              "cpu_cores",
                                                              "cpu_energy_j",
                                                              "cpu_frequency_hz",
                                                              "cpu_power_w",
                                                              "cpu_pressure",
                                                              "cpu_s",
                                                              "cpu_system_s",
                                                              "cpu_throttle_events",
                                                              "denormals_flushed",
                                                              "device_memory_left_bytes",
                                                              "device_memory_wait_s",
                                                              "energy_per_sample_j",
                                                              "energy_per_step_j",
                                                              "foreign_load",
                                                              "gpu_busy_share",
                                                              "idle_wait_s",
                                                              "io_pressure",
                                                              "left_processes",
                                                              "link_dropped_packets",
                                                              "link_sent_bytes",
                                                              "link_share",
                                                              "loading_share",
                                                              "max_rss_bytes",
                                                              "measured_from_s",
                                                              "measured_s",
                                                              "measured_until_s",
                                                              "memory_pressure",
                                                              "memory_share",
                                                              "node_count",
                                                              "oversubscribed",
                                                              "power_w",
                                                              "preprocessing_share",
                                                              "system_s",
                                                              "system_share",
                                                              "time_limit_longest_s",
                                                              "time_limit_s",
                                                              "wall_s",
                                                              "warmup_time_s"});
// Devices and links have names of their machine.
constexpr const char* kEveryPattern = "(measured_)?(gpu\\d+|network|infiniband|cpu)_.+";

}  // namespace

std::string check_trial_metric(Workload workload, const std::string& metric) {
  if (workload == Workload::kCommand) {
    return "";
  }
  const bool is_train = workload == Workload::kTrain;
  std::vector<std::string> names(kEveryTrial.begin(), kEveryTrial.end());
  if (is_train) {
    names.insert(names.end(), kTrain.begin(), kTrain.end());
  } else {
    names.insert(names.end(), kCollective.begin(), kCollective.end());
  }
  const bool is_known = std::ranges::find(names, metric) != names.end() ||
                        re2::RE2::FullMatch(metric, kEveryPattern) ||
                        (is_train && re2::RE2::FullMatch(metric, kTrainPattern));
  return is_known ? ""
                  : fmt::format(
                        "no trial of {} has a metric {}{}; workloads/protocol/FORMAT.md "
                        "lists what trials have",
                        to_word(workload),
                        metric,
                        suggestion(metric, names));
}

}  // namespace scalestudy
