// Types of the options of `train`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "workloads/comm/comm.h"
#include "workloads/parameters/strategies.h"

namespace scalestudy::train {

// The words of an option in the order of its enum, "cpu|cuda".
template <typename Enum>
inline constexpr std::string_view kOptionWords{};

enum class Backend { kCpu, kCuda };
template <>
inline constexpr std::string_view kOptionWords<Backend> = "cpu|cuda";

enum class Loss { kCrossEntropy, kMeanSquaredError };
template <>
inline constexpr std::string_view kOptionWords<Loss> = "cross_entropy|mse";

enum class Optimizer { kSgd, kAdamW };
template <>
inline constexpr std::string_view kOptionWords<Optimizer> = "sgd|adamw";

// The factor of the learning rate for N ranks: 1, N, the square root of N.
enum class RateScale { kNone, kLinear, kRoot };
template <>
inline constexpr std::string_view kOptionWords<RateScale> = "none|linear|sqrt";

enum class Precision { kFp64, kFp32, kTf32, kBf16, kFp16 };
template <>
inline constexpr std::string_view kOptionWords<Precision> = "fp64|fp32|tf32|bf16|fp16";

enum class Transport { kMpi, kNoop, kNccl, kMpiStaged, kShm };
template <>
inline constexpr std::string_view kOptionWords<Transport> = "mpi|noop|nccl|mpi_staged|shm";

using protocol::Sharding;

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
template <>
inline constexpr std::string_view kOptionWords<FailureKind> =
    "none|kill_rank|kill_node|sigterm|enospc|eio|link_down";

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
