// Parameters of `train`: what travels between ranks, how and when.
#pragma once

#include <array>

#include "workloads/parameters/strategy_table.h"

namespace scalestudy::protocol {

inline constexpr auto kCommDtypeRefusals = std::to_array<Refusal>({
    {"bf16", "precision", "fp16", "sums would lose what loss scaling keeps; use fp32"},
    {"bf16", "precision", "fp64", "it is the correctness oracle; leave it out"},
    {"fp16", "precision", "fp64", "it is the correctness oracle; leave it out"},
    {"fp16", "precision", "bf16", "it cannot hold its range; use fp32"},
});

inline constexpr auto kOverlapRefusals = std::to_array<Refusal>({
    {"stream", "backend", "cpu", "only a GPU has queues; use overlap poll or thread"},
    {"poll", "backend", "cuda", "it drives MPI in host memory; use overlap stream"},
    {"start_wait", "backend", "cuda", "it drives MPI in host memory; use overlap none"},
    {"thread", "backend", "cuda", "it drives MPI in host memory; use overlap stream"},
    {"poll", "allreduce", "hierarchical", "its parts follow each other; use thread"},
    {"start_wait", "allreduce", "hierarchical", "it is poll's control; use none"},
    {"stream", "comm", "mpi_staged", "the host copies and waits; use overlap none"},
});

inline constexpr auto kCommRefusals = std::to_array<Refusal>({
    {"nccl", "backend", "cpu", "NCCL sums GPU memory; use comm mpi"},
    {"mpi_staged", "backend", "cpu", "nothing is staged from host memory; use comm mpi"},
    {"mpi", "backend", "cuda", "MPI sums host memory; use comm nccl or mpi_staged"},
    {"shm", "backend", "cuda", "ranks share host memory; use comm nccl or mpi_staged"},
    {"shm", "allreduce", "hierarchical", "its ranks are on one machine; use flat"},
    {"shm", "compute", "declared", "no declared link is in shared memory; use comm mpi"},
});

inline constexpr auto kCommDefaults = std::to_array<OtherDefault>({{"backend", "cuda", "nccl"}});

// Strategies that send nothing during backward, then the others.
inline constexpr auto kOverlapDefaults = [] {
  constexpr auto sends_later = [](const StrategyInfo& strategy) {
    return strategy.is_serial || strategy.has_stages;
  };
  constexpr auto count = std::ranges::count_if(kStrategies, sends_later);
  std::array<OtherDefault, static_cast<std::size_t>(count) + 2> defaults{};
  auto* next = defaults.begin();
  for (const StrategyInfo& strategy : kStrategies) {
    if (sends_later(strategy)) {
      *next++ = {"strategy", strategy.name, "none"};
    }
  }
  *next++ = {"comm", "mpi_staged", "none"};  // the host copies and waits
  *next = {"backend", "cuda", "stream"};
  return defaults;
}();

// The others send all gradients at once, or those of each layer or block (make_buckets() of
// workloads/train/layout/layout.h).
inline constexpr auto kBucketReaders =
    std::to_array<Reader>({{"strategy", "ddp"}, {"strategy", "zero1"}});

inline constexpr auto kCommunicationParameters = std::to_array<ParameterInfo>({
    {.name = "comm",
     .kind = ParameterKind::kText,
     .default_value = "mpi",
     .allowed = "mpi|noop|nccl|mpi_staged|shm",
     .help = "What sums gradients: mpi in host memory; on a GPU nccl, or mpi_staged (MPI through "
             "host memory). shm, for CPU ranks of one machine: each rank reads the gradients of "
             "all in place, sums its part and writes it to all; for n bytes, it reads n and writes "
             "n. noop sums nothing: it is the control without communication.",
     .communication = true,
     .other_defaults = kCommDefaults,
     .refusals = kCommRefusals},
    {.name = "comm_dtype",
     .kind = ParameterKind::kText,
     .allowed = "fp32|bf16|fp16",
     .help = "Type that gradients are rounded to, summed and sent in; by default the type they are "
             "computed in.",
     .communication = true,
     .takes_memory = true,
     .optional = true,
     .refusals = kCommDtypeRefusals},
    {.name = "topk",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 100]",
     .unit = "%",
     .help = "Top-k with error feedback: only this share of each bucket is sent, the gradients "
             "with the largest magnitude and their places. The rest is added to the next step's "
             "gradients. 0 sends all.",
     .communication = true,
     .takes_memory = true},
    {.name = "allreduce",
     .kind = ParameterKind::kText,
     .default_value = "flat",
     .allowed = "flat|hierarchical",
     .help = "How ranks sum: flat over all ranks; or hierarchical: scattered over the ranks of "
             "each node, summed over nodes, gathered within nodes.",
     .communication = true},
    {.name = "virtual_node_ranks",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 65536]",
     .unit = "ranks",
     .help = "Number of consecutive ranks that count as a node, for allreduce hierarchical, "
             "failure kill_node and emulated links. 0: the ranks of each machine.",
     .communication = true},
    {.name = "overlap",
     .kind = ParameterKind::kText,
     .default_value = "none",
     .allowed = "none|poll|start_wait|thread|stream",
     .help = "Whether buckets are sent during backward. poll starts sums (MPI_Iallreduce) and "
             "drives them after each layer. thread sums (MPI_Allreduce) on a thread of its own. "
             "stream queues NCCL, as PyTorch does. start_wait, the control of poll, makes poll's "
             "calls and waits for each at once. none if strategy or comm leave nothing to overlap.",
     .communication = true,
     .other_defaults = kOverlapDefaults,
     .first_default_value = "none",
     .refusals = kOverlapRefusals},
    {.name = "payload",
     .kind = ParameterKind::kText,
     .default_value = "buckets",
     .allowed = "buckets|element",
     .help = "What is summed: buckets, or one element per rank of each bucket (a control).",
     .communication = true},
    {.name = "timing",
     .kind = ParameterKind::kText,
     .default_value = "full",
     .allowed = "full|light",
     .help = "Whether phases are timed. light reads the clock only at both ends of a step."},
    {.name = "bucket_mb",
     .kind = ParameterKind::kReal,
     .default_value = "25",
     .allowed = "(0, inf)",
     .unit = "MiB",
     .help = "A bucket of gradients is closed when it holds this much (MiB, as in PyTorch).",
     .communication = true,
     .readers = kBucketReaders},
    {.name = "first_bucket_mb",
     .kind = ParameterKind::kReal,
     .default_value = "1",
     .allowed = "(0, inf)",
     .unit = "MiB",
     .help = "The same for the first bucket; it is smaller so that sending starts early.",
     .communication = true,
     .readers = kBucketReaders},
});

}  // namespace scalestudy::protocol
