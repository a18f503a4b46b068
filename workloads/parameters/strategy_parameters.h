// Parameters of `train` about how ranks share a step.
#pragma once

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr ParameterInfo kStrategy{
    .name = "strategy",
    .kind = ParameterKind::kText,
    .default_value = "ddp",
    .allowed = "ddp|ddp_serial|zero1|zero2|fsdp|local_sgd|powersgd|pipeline",
    .unit = "",
    .help =
        "How ranks share a step: ddp sums gradients in buckets on every rank, ddp_serial all at "
        "once after backward; zero1 splits the optimizer's state: each rank gets its share of "
        "the sums, updates that share and gathers the parameters; zero2 keeps no more of the "
        "gradients than that share, and fsdp (ZeRO-3) of the parameters. local_sgd updates each "
        "rank's parameters by its own gradients and averages them every sync_every steps. powersgd "
        "sums, for each matrix of gradients, two thin ones of powersgd_rank columns, and keeps "
        "what they leave out for the next step (error feedback). pipeline gives each rank some of "
        "the layers, through which accumulation_steps parts of the global batch go one behind the "
        "other (one forward, one backward)."};

inline constexpr ParameterInfo kShares{
    .name = "shares",
    .kind = ParameterKind::kText,
    .default_value = "equal",
    .allowed = "",
    .unit = "",
    .help =
        "How ranks share the batch: equal, or by a weight of each, 1:2 for devices of which the "
        "second is twice as fast, or proportional to what each rank alone does in a few steps of "
        "the equal share before the warm-up; gradients are the mean over all samples. With "
        "batch_per_device that is the mean of the shares.",
    .communication = true};

inline constexpr ParameterInfo kOffload{
    .name = "offload",
    .kind = ParameterKind::kText,
    .default_value = "none",
    .allowed = "none|optimizer",
    .unit = "",
    .help =
        "What is kept in the host's memory in place of the GPU's: with optimizer its state and the "
        "parameters in fp32, of which each rank updates its part on its CPU cores (threads); "
        "gradients are copied down and parameters up in every step. GPU only."};

inline constexpr ParameterInfo kPrefetch{
    .name = "fsdp_prefetch",
    .kind = ParameterKind::kInteger,
    .default_value = "1",
    .allowed = "[0, 64]",
    .unit = "units",
    .help =
        "Units (layers or blocks) of fsdp that are gathered ahead of the one that computes, "
        "where overlap is not none."};

inline constexpr ParameterInfo kReshard{
    .name = "reshard_after_forward",
    .kind = ParameterKind::kFlag,
    .default_value = "true",
    .allowed = "",
    .unit = "",
    .help =
        "Whether fsdp frees a unit's parameters after forward and gathers them again for "
        "backward; false: less to send, more memory."};

inline constexpr ParameterInfo kSyncEvery{
    .name = "sync_every",
    .kind = ParameterKind::kInteger,
    .default_value = "1",
    .allowed = "[1, 10000]",
    .unit = "steps",
    .help =
        "Steps of local_sgd from one average of the parameters to the next; warm-up and "
        "measured steps are multiples of it.",
    .communication = true};

inline constexpr ParameterInfo kPowerSgdRank{
    .name = "powersgd_rank",
    .kind = ParameterKind::kInteger,
    .default_value = "1",
    .allowed = "[1, 65536]",
    .unit = "columns",
    .help =
        "Columns of what travels for a matrix with powersgd, of each at most as many as its "
        "smaller side has; vectors travel whole.",
    .communication = true};

}  // namespace scalestudy::protocol
