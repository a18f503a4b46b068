// The parameters of the workload `collective`.
#include <array>

#include "workloads/names/operations.h"
#include "workloads/parameters/tables.h"

namespace scalestudy::protocol {
namespace {

using enum ParameterKind;

constexpr auto kMoverDefaults = std::to_array<OtherDefault>({{"backend", "cuda", "nccl"}});

constexpr auto kMoverRefusals = std::to_array<Refusal>({
    {"nccl", "backend", "cpu", "NCCL moves GPU memory; use comm mpi or shm"},
    {"mpi", "backend", "cuda", "MPI moves host memory; use comm nccl"},
    {"shm", "backend", "cuda", "ranks share host memory; use comm nccl"},
    {"shm", "operation", "ping_pong", "a pair sends messages; use comm mpi"},
});

constexpr auto kBatchReaders = std::to_array<Reader>({{"mode", "back_to_back"}});

constexpr MadeText kOperationWords = [] {
  MadeText words;
  for (const names::OperationInfo& one : names::kOperationTable) {
    if (one.operation) {
      words.add_word(one.name);
    }
  }
  return words;
}();

constexpr auto kCollectiveParameters = std::to_array<ParameterInfo>({
    {.name = "devices",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[2, 65536]",
     .unit = "ranks",
     .help = "Number of ranks that communicate; each holds one buffer.",
     .optional = true},
    kNodes,
    {.name = "operation",
     .kind = kText,
     .default_value = "all_reduce",
     .allowed = kOperationWords.view(),
     .unit = "",
     .help = "The collective, out of place on float32. send_recv passes a buffer round a ring. "
             "ping_pong sends between two ranks there and back; half of that is its time."},
    {.name = "pair",
     .kind = kText,
     .default_value = "0-1",
     .allowed = "",
     .unit = "",
     .help = "For ping_pong: two ranks, the lower one first, while the others wait; several pairs "
             "at once as 0-1+2-3. halves: each rank of the lower half with its counterpart in the "
             "upper half, all at once."},
    {.name = "message_bytes",
     .kind = kInteger,
     .default_value = "1048576",
     .allowed = "[4, 1099511627776]",
     .unit = "B",
     .help = "Size of the larger of a rank's two buffers, as in nccl-tests; rounded down to whole "
             "float32 values, and to equal parts if the operation splits it."},
    {.name = "mode",
     .kind = kText,
     .default_value = "back_to_back",
     .allowed = "back_to_back|isolated",
     .unit = "",
     .help = "back_to_back times a batch of operations, as nccl-tests does. isolated starts each "
             "operation after a barrier."},
    {.name = "operations_per_step",
     .kind = kInteger,
     .default_value = "20",
     .allowed = "[1, 1000000]",
     .unit = "operations",
     .help = "Operations in a batch of back_to_back; isolated always times one.",
     .readers = kBatchReaders},
    {.name = "backend",
     .kind = kText,
     .default_value = "cpu",
     .allowed = "cpu|cuda",
     .unit = "",
     .help = "Where the buffers are: host memory or a GPU's."},
    {.name = "comm",
     .kind = kText,
     .default_value = "mpi",
     .allowed = "mpi|nccl|shm",
     .unit = "",
     .help = "What moves the data: mpi in host memory, nccl on a GPU. shm, for CPU ranks of one "
             "machine: ranks read each other's buffers in place; for an all-reduce of n bytes "
             "each rank reads n and writes n.",
     .other_defaults = kMoverDefaults,
     .refusals = kMoverRefusals},
    {.name = "beside",
     .kind = kText,
     .default_value = "none",
     .allowed = "none|triad",
     .unit = "",
     .help = "triad: a thread of each rank, on one more core, runs STREAM's triad during the "
             "operation. This shows what memory bandwidth the operation leaves, and what that "
             "costs it."},
    kWarmupSteps,
    kMeasuredSteps,
    kWarmupTime,
    kMeasuredTime,
});

}  // namespace

std::span<const ParameterInfo> collective_parameters() {
  return kCollectiveParameters;
}

}  // namespace scalestudy::protocol
