// Parameters of `train`: ranks that are slow, or that sleep in place of computing.
#pragma once

#include <array>

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr auto kComputeRefusals = std::to_array<Refusal>({
    {"declared", "backend", "cuda", "ranks sleep on cores; use backend cpu"},
    {"declared", "data", "file", "decoding computes; use data synthetic"},
});

inline constexpr auto kStragglerReaders =
    std::to_array<Reader>({{"straggler_ms", "!0"}, {"straggler_factor", "!1"}});

inline constexpr auto kDeclaredParameters = std::to_array<ParameterInfo>({
    {.name = "straggler_rank",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 65535]",
     .help = "The rank that straggler_ms and straggler_factor slow down.",
     .communication = true,
     .condition = true,
     .readers = kStragglerReaders},
    {.name = "straggler_ms",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 60000]",
     .unit = "ms",
     .help = "Emulates a slow device: straggler_rank sleeps for this long in each step, while "
             "nothing is queued.",
     .communication = true,
     .slows_alone = true,
     .condition = true},
    {.name = "straggler_factor",
     .kind = ParameterKind::kReal,
     .default_value = "1",
     .allowed = "[1, 1000]",
     .help = "With compute declared: how many times longer than the others straggler_rank takes "
             "for the same samples.",
     .communication = true,
     .slows_alone = true,
     .condition = true},
    {.name = "compute",
     .kind = ParameterKind::kText,
     .default_value = "real",
     .allowed = "real|declared",
     .help = "declared emulates devices: ranks sleep for declared times instead of computing "
             "layers, in proportion to their FLOP, and really send gradients, as zeros. More ranks "
             "than cores then have timings with a known answer. One value per study. CPU only.",
     .refusals = kComputeRefusals},
    {.name = "declared_sample_ms",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 60000]",
     .unit = "ms",
     .help = "With compute declared: time of forward and backward of one sample on a device.",
     .condition = true},
    {.name = "declared_step_ms",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 60000]",
     .unit = "ms",
     .help = "With compute declared: time of a step besides its samples, which more devices do not "
             "shorten.",
     .condition = true},
    {.name = "declared_hop_ms",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 60000]",
     .unit = "ms",
     .help = "With compute declared and comm mpi: time of a message to the next rank of a ring. An "
             "all-reduce of N ranks takes 2 (N - 1) of them.",
     .communication = true,
     .condition = true},
    {.name = "declared_gb_per_s",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "GB/s",
     .help = "With compute declared and comm mpi: bandwidth of the ring's links. An all-reduce of "
             "N ranks sends 2 (N - 1)/N of its bytes over each. 0: bytes take only the time of "
             "really sending them.",
     .communication = true,
     .condition = true},
});

}  // namespace scalestudy::protocol
