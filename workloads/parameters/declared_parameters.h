// Parameters of the workload `train` about ranks that sleep in place of computing.
#pragma once

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr ParameterInfo kCompute{
    .name = "compute",
    .kind = ParameterKind::kText,
    .default_value = "real",
    .allowed = "real|declared",
    .unit = "",
    .help =
        "declared emulates devices: ranks sleep for declared times where layers would compute, as "
        "by their FLOP, and really send gradients, of zeros; more ranks than cores then have "
        "timings with a known answer. One value in a study. CPU only."};

inline constexpr ParameterInfo kDeclaredSample{
    .name = "declared_sample_ms",
    .kind = ParameterKind::kReal,
    .default_value = "0",
    .allowed = "[0, 60000]",
    .unit = "ms",
    .help = "With compute declared, what forward and backward of a sample take on a device."};

inline constexpr ParameterInfo kDeclaredStep{
    .name = "declared_step_ms",
    .kind = ParameterKind::kReal,
    .default_value = "0",
    .allowed = "[0, 60000]",
    .unit = "ms",
    .help = "The same of a step beside its samples: what more devices do not shorten."};

inline constexpr ParameterInfo kDeclaredHop{
    .name = "declared_hop_ms",
    .kind = ParameterKind::kReal,
    .default_value = "0",
    .allowed = "[0, 60000]",
    .unit = "ms",
    .help =
        "With compute declared and comm mpi, a network too: what a message to the next rank of a "
        "ring takes; an all-reduce of N ranks is 2 (N - 1) of them.",
    .communication = true};

inline constexpr ParameterInfo kDeclaredBandwidth{
    .name = "declared_gb_per_s",
    .kind = ParameterKind::kReal,
    .default_value = "0",
    .allowed = "[0, 1000000]",
    .unit = "GB/s",
    .help =
        "The bandwidth of its links, each of which an all-reduce of N ranks uses for 2 (N - 1)/N "
        "of its bytes. 0: bytes take what really sending them takes.",
    .communication = true};

}  // namespace scalestudy::protocol
