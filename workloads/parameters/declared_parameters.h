// Parameters of `train`: ranks that are slow, or that sleep in place of computing.
#pragma once

#include <array>

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr auto kComputeRefusals = std::to_array<Refusal>({
    {"declared", "backend", "cuda", "ranks sleep on cores; use backend cpu"},
    {"declared", "data", "file", "decoding computes; use data synthetic"},
});

inline constexpr auto kDeclaredParameters = std::to_array<ParameterInfo>({
    {.name = "straggler_rank",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 65535]",
     .help = "The rank that straggler_ms and straggler_factor slow down.",
     .communication = true},
    {.name = "straggler_ms",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 60000]",
     .unit = "ms",
     .help =
         "Emulates a slow device: straggler_rank sleeps so long in each step, with nothing queued.",
     .communication = true},
    {.name = "straggler_factor",
     .kind = ParameterKind::kReal,
     .default_value = "1",
     .allowed = "[1, 1000]",
     .help =
         "With compute declared, how many times as long as the others straggler_rank takes for the "
         "same samples.",
     .communication = true},
    {.name = "compute",
     .kind = ParameterKind::kText,
     .default_value = "real",
     .allowed = "real|declared",
     .help =
         "declared emulates devices: ranks sleep for declared times where layers would compute, as "
         "by their FLOP, and really send gradients, of zeros; more ranks than cores then have "
         "timings with a known answer. One value in a study. CPU only.",
     .refusals = kComputeRefusals},
    {.name = "declared_sample_ms",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 60000]",
     .unit = "ms",
     .help = "With compute declared, what forward and backward of a sample take on a device."},
    {.name = "declared_step_ms",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 60000]",
     .unit = "ms",
     .help = "The same of a step beside its samples: what more devices do not shorten."},
    {.name = "declared_hop_ms",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 60000]",
     .unit = "ms",
     .help =
         "With compute declared and comm mpi, a network too: what a message to the next rank of a "
         "ring takes; an all-reduce of N ranks is 2 (N - 1) of them.",
     .communication = true},
    {.name = "declared_gb_per_s",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "GB/s",
     .help =
         "The bandwidth of its links, each of which an all-reduce of N ranks uses for 2 (N - 1)/N "
         "of its bytes. 0: bytes take what really sending them takes.",
     .communication = true},
});

}  // namespace scalestudy::protocol
