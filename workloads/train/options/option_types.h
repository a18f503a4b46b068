// Types of the options of `train`.
#pragma once

#include <cstddef>
#include <string>

#include "workloads/comm/comm.h"

namespace scalestudy::train {

enum class Backend { kCpu, kCuda };
enum class Loss { kCrossEntropy, kMeanSquaredError };
enum class Optimizer { kSgd, kAdamW };
// The factor of the learning rate for N ranks: 1, N, the square root of N.
enum class RateScale { kNone, kLinear, kRoot };
enum class Precision { kFp64, kFp32, kTf32, kBf16, kFp16 };
enum class Transport { kMpi, kNoop, kNccl, kMpiStaged };

// What each rank keeps of the model beyond its own share.
enum class Sharding {
  kNone,       // all of it, the optimizer's state included
  kOptimizer,  // parameters and gradients: ZeRO-1
  kGradients,  // parameters: ZeRO-2
  kAll,        // nothing: FSDP
};

// The options of data file.
struct FileOptions {
  std::string path;          // a file, or a folder to write one in; empty: that of temporary files
  std::size_t samples = 1;   // of a file that the trial writes
  std::size_t prefetch = 0;  // batches read ahead
  double decode_s = 0.0;     // least CPU time of decoding a sample
  bool drops_cache = false;  // no page of the file stays in the page cache
};

// The options of save_every.
struct SaveOptions {
  std::size_t every = 0;     // steps; 0: nothing is saved
  std::string folder;        // save_dir; empty: not given
  bool drops_cache = false;  // a checkpoint's pages leave the page cache before it is loaded
};

enum class FailureKind {
  kNone,
  kKillRank,
  kKillNode,
  kTerminate,
  kNoSpace,
  kInputOutput,
  kLinkDown
};

struct Failure {
  FailureKind kind = FailureKind::kNone;
  std::size_t step = 0;  // steps done when it comes
  std::size_t rank = 0;
  std::size_t node_ranks = 0;  // ranks of a node, for kKillNode; 0: those of the machine
  double notice_s = 0.0;       // for kTerminate
};

// The rank that is slower than the others.
struct Straggler {
  std::size_t rank = 0;
  double wait_s = 0.0;  // in each forward pass
  double factor = 1.0;  // of the declared time
};

// The options of strategy pipeline, on several ranks.
struct Pipeline {
  std::size_t stages = 0;  // ranks, each with some of the model's units; 0: each has all of them
  std::size_t stage = 0;   // this rank's, in options of for_rank()

  bool is_on() const { return stages > 0; }
};

// The times that a rank sleeps in place of computing (compute declared), and a declared network.
struct Declared {
  double step_s = 0.0;    // in each step
  double sample_s = 0.0;  // for each sample of a step, besides
  comm::DeclaredLink link{};
};

}  // namespace scalestudy::train
