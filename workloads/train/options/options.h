// The options of a run of `train`: SCALESTUDY_PARAMETERS, overridden by flags.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "workloads/device/data_type.h"
#include "workloads/flags/flags.h"
#include "workloads/model/shape/zoo.h"
#include "workloads/rank/phases.h"
#include "workloads/sync/exchanges.h"
#include "workloads/train/options/option_types.h"

namespace scalestudy::train {

struct Options {
  model::ModelSpec model;
  std::optional<Declared> declared;  // absent: ranks compute
  Backend backend = Backend::kCpu;
  Precision precision = Precision::kFp32;
  Transport transport = Transport::kMpi;  // parameter `comm`
  sync::Overlap overlap = sync::Overlap::kNone;
  bool has_comm_thread = false;  // overlap thread
  sync::Payload payload = sync::Payload::kBuckets;
  bool has_phases = true;                     // false: timing light
  bool has_spans = false;                     // a trace is written, never of a measured trial
  bool is_serial = false;                     // one bucket, after backward
  bool updates_alone = false;                 // by the rank's own gradients
  Sharding sharding = Sharding::kNone;        // strategy zero1, zero2, fsdp
  std::size_t sync_every = 0;                 // strategy local_sgd; 0: gradients are summed
  std::size_t power_sgd_rank = 0;             // strategy powersgd; 0: gradients travel whole
  Pipeline pipeline{};                        // strategy pipeline
  std::size_t prefetch = 1;                   // fsdp_prefetch
  std::size_t checkpoint_every = 0;           // blocks; 0: every activation is kept
  bool is_resharded = true;                   // reshard_after_forward
  bool is_offloaded = false;                  // offload optimizer
  bool is_deterministic = false;              // the same bits in every run on the same devices
  std::optional<device::DataType> wire_type;  // comm_dtype; absent: gradients travel as they are
  double top_k = 0.0;  // topk: share in (0, 1] of each bucket's gradients that travels; 0: off
  std::optional<std::size_t> node_ranks;  // allreduce hierarchical; 0: a machine's; absent: flat
  bool has_cudnn_tf32 = false;
  bool has_timed_algorithms = false;
  double workspace_bytes = 64.0 * 1048576.0;
  std::optional<double> device_peak_flop_per_s;
  std::optional<double> device_memory_bytes;
  double bucket_bytes = 25.0 * 1048576.0;
  double first_bucket_bytes = 1048576.0;
  Loss loss = Loss::kCrossEntropy;
  Optimizer optimizer = Optimizer::kSgd;
  double learning_rate = 0.01;
  RateScale rate_scale = RateScale::kNone;
  std::size_t rate_warmup_steps = 0;         // until it is scaled
  std::vector<std::size_t> rate_milestones;  // epochs, ascending
  double momentum = 0.9;
  double weight_decay = 0.0;
  double clip_norm = 0.0;  // 0: gradients stay as they are
  Straggler straggler;
  std::uint64_t seed = 1;
  std::optional<FileOptions> data_file;  // absent: data are synthetic
  bool has_own_seed = false;             // vary_seed: each block of trials has another
  std::size_t train_samples = 0;         // of an epoch; 0: a few batches, again and again
  std::uint32_t first_sample = 0;        // number of the first training sample
  double label_noise = 0.0;              // share in [0, 1] of labels that are another class
  std::size_t held_out_samples = 0;      // 0: accuracy is not measured
  bool is_evaluated_each_epoch = false;
  SaveOptions saves;
  Failure failure;
  std::size_t first_step = 0;  // step of the checkpoint that this process loads
  int threads = 1;
  std::size_t batch_per_device = 0;    // samples of a step on each rank
  std::size_t batch_global = 0;        // on all of them
  std::vector<std::size_t> weights;    // of the ranks' shares of it; empty: equal ones
  bool has_measured_shares = false;    // weights follow from speeds (measured_shares.h)
  std::size_t accumulation_steps = 1;  // micro-steps of a step; divides batch_per_device
  std::size_t warmup_steps = 10;
  std::size_t measured_steps = 100;
  double warmup_time_s = 0.0;
  double measured_time_s = 0.0;

  std::size_t ranks() const;
  // For options with train_samples.
  std::size_t steps_per_epoch() const { return train_samples / batch_global; }
  // The declared time of this rank's step, s; 0 if it computes.
  double declared_step_s() const {
    return declared ? declared->step_s + declared->sample_s * static_cast<double>(batch_per_device)
                    : 0.0;
  }
  rank::Floors floors() const {
    return {warmup_steps,
            measured_steps,
            warmup_time_s,
            measured_time_s,
            std::max<std::size_t>(1, sync_every)};
  }
  std::size_t most_steps() const {
    return floors().most_warmup_steps() + floors().most_measured_steps();
  }
};

// Whether gradients of T travel as another type; false on a single rank, where none travel.
template <typename T>
bool has_other_wire(const Options& options) {
  return options.wire_type && *options.wire_type != device::kDataType<T> &&
         options.batch_global > options.batch_per_device;
}

inline bool has_power_sgd(const Options& options) {
  return options.power_sgd_rank > 0 && options.batch_global > options.batch_per_device;
}

inline bool has_top_k(const Options& options) {
  return options.top_k > 0.0 && options.batch_global > options.batch_per_device;
}

using flags::Texts;

// The text of --help.
std::string help_text();

// The parameters given as flags, "--bucket-mb 25" or "--bucket-mb=25".
// Throws WorkloadError (usage) for an unknown flag.
Texts parse_flags(std::span<const char* const> arguments);

// Merges: the table's defaults, then `environment`, then `flags`. A batch given as a flag replaces
// both batches of the environment.
Texts merge(const Texts& environment, const Texts& flags);

// All parameters with the values in effect for `rank_count` ranks: both batches filled in, epochs
// as steps, and with vary_seed the seed of the block that SCALESTUDY_BLOCK numbers. Throws
// WorkloadError (usage): an unknown name, a bad value, not exactly one batch, a batch the ranks
// cannot share, `devices` other than `rank_count`, values that cannot go together.
Texts complete(const Texts& merged, int rank_count);

// The options from texts that complete() returned. Throws WorkloadError (usage) for a model that
// cannot have the shape asked for.
Options make_options(const Texts& texts);

// The first sample of a batch in this rank's share; for rank = ranks() the end. 0 for stages.
std::size_t first_of_share(const Options& options, std::size_t rank);

// The options of one rank, with its stage or share and its declared times. May be called again on
// options of for_rank() for another rank.
Options for_rank(Options options, std::size_t rank);

}  // namespace scalestudy::train
