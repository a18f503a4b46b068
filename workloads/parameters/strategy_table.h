// The strategies of `train`, in the order of --help.
#pragma once

#include <array>

#include "workloads/parameters/parameters.h"
#include "workloads/parameters/strategies.h"

namespace scalestudy::protocol {

// The steps of local_sgd are whole turns of sync_every.
std::string check_turns(const GivenValues& given, const std::map<std::string, std::string>& values);
// A pipeline has a layer or block for each stage.
std::string check_stages(const GivenValues& given,
                         const std::map<std::string, std::string>& values);

inline constexpr auto kSerialRefusals = std::to_array<StrategyRefusal>({
    {"overlap", "poll", "it sends after backward; use strategy ddp"},
    {"overlap", "thread", "it sends after backward; use strategy ddp"},
    {"overlap", "stream", "it sends after backward; use strategy ddp"},
});
inline constexpr auto kShardedRefusals = std::to_array<StrategyRefusal>({
    {"comm_dtype", "rounded", "gradients travel as they are; use zero1"},
    {"accumulation_steps", ">1", "gradients of earlier parts are not kept whole; use zero1"},
});
inline constexpr auto kFsdpRefusals = std::to_array<StrategyRefusal>({
    {"loss", "mse", "its targets need a whole network; use cross_entropy"},
    {"checkpoint_every", ">1", "it gathers one block at a time; use 1"},
    kShardedRefusals[0],
    kShardedRefusals[1],
});
inline constexpr auto kLocalSgdRefusals = std::to_array<StrategyRefusal>({
    {"overlap", "!none", "parameters travel behind the update; use none"},
    {"precision", "fp16", "ranks would scale losses apart; use bf16"},
    {"comm_dtype", "rounded", "no gradients travel; leave it out"},
    {"clip_norm", ">0", "no rank knows the sum of all gradients; leave it out, or use ddp"},
});
inline constexpr auto kPowerSgdRefusals = std::to_array<StrategyRefusal>({
    {"overlap", "!none", "what it sums second follows from the first; use none"},
    {"precision", "bf16", "16 bits are too few for orthonormal columns; use fp32"},
    {"precision", "fp16", "16 bits are too few for orthonormal columns; use fp32"},
    {"comm_dtype", "rounded", "what travels is not rounded; leave it out"},
    {"compute", "declared", "its products compute; use ddp"},
});
inline constexpr auto kPipelineRefusals = std::to_array<StrategyRefusal>({
    {"precision", "fp16", "stages would scale losses apart; use bf16"},
    {"comm", "noop", "a stage computes with what the one before it sends; use mpi or nccl"},
    {"comm", "shm", "its stages send messages; use mpi"},
    {"payload", "element", "a stage computes with what the one before it sends; use buckets"},
    {"loss", "mse", "its targets need a whole network; use cross_entropy"},
    {"lr_scale", "linear", "all stages train on one batch; use none"},
    {"lr_scale", "sqrt", "all stages train on one batch; use none"},
    {"overlap", "!none", "no gradients of parameters travel; use none"},
    {"comm_dtype", "rounded", "activations travel as they are; leave it out"},
});

inline constexpr auto kStrategies = std::to_array<StrategyInfo>({
    {.name = "ddp",
     .meaning = "sums gradients in buckets on every rank",
     .sends = "2 (N-1)/N of the gradients",
     .sums_gradients = true,
     .is_for_memory = true},
    {.name = "ddp_serial",
     .meaning = "sums all gradients at once after backward",
     .sends = "2 (N-1)/N of the gradients",
     .sums_gradients = true,
     .is_serial = true,
     .refusals = kSerialRefusals},
    {.name = "zero1",
     .meaning = "splits the optimizer's state: each rank gets its share of the sums, updates that "
                "share and gathers the parameters",
     .sends = "(N-1)/N of the gradients and of the parameters",
     .sharding = Sharding::kOptimizer,
     .is_for_memory = true},
    {.name = "zero2",
     .meaning = "splits the gradients as well",
     .sends = "(N-1)/N of the gradients and of the parameters",
     .sharding = Sharding::kGradients,
     .is_for_memory = true,
     .refusals = kShardedRefusals},
    {.name = "fsdp",
     .meaning =
         "(ZeRO-3) splits the parameters as well, and gathers those of a layer or block while it "
         "computes",
     .sends = "(N-1)/N of the gradients, and of the parameters twice",
     .sharding = Sharding::kAll,
     .is_for_memory = true,
     .ring_rounds = 3.0,
     .refusals = kFsdpRefusals},
    {.name = "local_sgd",
     .meaning = "updates each rank's parameters by its own gradients and averages them every "
                "sync_every steps",
     .sends = "2 (N-1)/N of the parameters, in every sync_every-th step",
     .is_serial = true,
     .updates_alone = true,
     .refusals = kLocalSgdRefusals,
     .no_shares = "local_sgd averages ranks alike; use ddp",
     .no_offload = "what it averages is in the GPU's memory; use ddp",
     .no_saving = "what each rank has by itself is not saved; use ddp",
     .check = check_turns},
    {.name = "powersgd",
     .meaning = "sums, for each matrix of gradients, two thin ones of powersgd_rank columns, and "
                "keeps what they leave out for the next step (error feedback)",
     .sends = "2 (N-1)/N of r (m + n) numbers of each m x n matrix, with rank r",
     .is_serial = true,
     .refusals = kPowerSgdRefusals,
     .no_saving = "what it has left out is not saved; use ddp"},
    {.name = "pipeline",
     .meaning = "gives each rank some of the layers, through which accumulation_steps parts of the "
                "global batch pass one after another (one forward, one backward)",
     .sends = "activations of its last layer, and their gradients back",
     .has_stages = true,
     .is_for_memory = true,
     .ring_rounds = 0.0,
     .refusals = kPipelineRefusals,
     .no_shares = "each stage computes with all of the batch; leave it out",
     .check = check_stages},
});

}  // namespace scalestudy::protocol
