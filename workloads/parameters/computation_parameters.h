// Parameters of `train`: how a device computes its part of a step, and the update.
#pragma once

#include <array>

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr auto kAlgorithmsRefusals = std::to_array<Refusal>({
    {"timed", "backend", "cpu", "only a GPU's libraries offer several; leave it out"},
    {"timed", "deterministic", "true", "times differ; use heuristic"},
});

inline constexpr auto kCudnnMathRefusals = std::to_array<Refusal>({
    {"tf32", "backend", "cpu", "cuDNN computes on GPUs; leave it out"},
    {"fp32", "backend", "cpu", "cuDNN computes on GPUs; leave it out"},
    {"tf32", "precision", "bf16", "it is about fp32; leave it out"},
    {"fp32", "precision", "bf16", "it is about fp32; leave it out"},
    {"tf32", "precision", "fp16", "it is about fp32; leave it out"},
    {"fp32", "precision", "fp16", "it is about fp32; leave it out"},
});

inline constexpr auto kAlgorithmsDefaults = std::to_array<OtherDefault>({
    {"deterministic", "true", "heuristic"},  // times differ from run to run
    {"backend", "cuda", "timed"},
});

// Those that train for 10,000 steps (./dev bench learning_rates).
inline constexpr auto kLearningRateDefaults = std::to_array<OtherDefault>({
    {"optimizer", "adamw", "0.001"},
    {"model", "mlp-6.9m", "0.001"},
});

inline constexpr auto kGpuReaders = std::to_array<Reader>({{"backend", "cuda"}});
inline constexpr auto kSgdReaders = std::to_array<Reader>({{"optimizer", "sgd"}});
inline constexpr auto kScaleReaders = std::to_array<Reader>({{"lr_scale", "!none"}});

inline constexpr auto kComputationParameters = std::to_array<ParameterInfo>({
    {.name = "accumulation_steps",
     .kind = ParameterKind::kInteger,
     .default_value = "1",
     .allowed = "[1, 65536]",
     .unit = "parts",
     .help =
         "Number of parts in which the batch of a device is computed, one after another; gradients "
         "are sent once. With strategy pipeline, the number of micro-batches of the global batch."},
    {.name = "deterministic",
     .kind = ParameterKind::kFlag,
     .default_value = "false",
     .help = "Whether runs on the same devices give the same bits; this can be slower on a GPU."},
    {.name = "cudnn_math",
     .kind = ParameterKind::kText,
     .allowed = "fp32|tf32",
     .help = "Whether convolutions and recurrences of fp32 on a GPU round their inputs to TF32; by "
             "default precision decides. PyTorch's default is precision fp32 with tf32 here.",
     .optional = true,
     .refusals = kCudnnMathRefusals},
    {.name = "algorithms",
     .kind = ParameterKind::kText,
     .default_value = "heuristic",
     .allowed = "heuristic|timed",
     .help = "How rank 0 chooses the algorithms of a GPU's libraries for all ranks, before the "
             "first step: by the libraries' own estimate (heuristic) or by timing them (timed). "
             "heuristic if deterministic is set.",
     .other_defaults = kAlgorithmsDefaults,
     .first_default_value = "heuristic",
     .refusals = kAlgorithmsRefusals},
    {.name = "workspace_mb",
     .kind = ParameterKind::kReal,
     .default_value = "64",
     .allowed = "(0, 65536]",
     .unit = "MiB",
     .help = "Memory that the algorithms of a GPU's libraries may use; with less memory they are "
             "slower.",
     .readers = kGpuReaders},
    {.name = "device_peak_flops",
     .kind = ParameterKind::kReal,
     .allowed = "(0, inf)",
     .unit = "FLOP/s",
     .help =
         "Peak of one device at this precision, dense. Model FLOP/s are reported relative to it.",
     .optional = true},
    {.name = "device_memory_gb",
     .kind = ParameterKind::kReal,
     .allowed = "(0, inf)",
     .unit = "GB",
     .help = "Memory of one device. A run that needs more, by calculation, is refused, and "
             "--describe prints the largest model of this family that fits under each strategy.",
     .optional = true},
    {.name = "optimizer",
     .kind = ParameterKind::kText,
     .default_value = "sgd",
     .allowed = "sgd|adamw",
     .help = "Update rule: sgd with momentum, or adamw."},
    {.name = "learning_rate",
     .kind = ParameterKind::kReal,
     .default_value = "0.01",
     .allowed = "[0, inf)",
     .help = "Learning rate, the same at every step unless lr_scale or lr_milestones change it.",
     .other_defaults = kLearningRateDefaults,
     .first_default_value = "0.01"},
    {.name = "momentum",
     .kind = ParameterKind::kReal,
     .default_value = "0.9",
     .allowed = "[0, 1)",
     .help = "Momentum of sgd; not used by adamw.",
     .readers = kSgdReaders},
    {.name = "lr_scale",
     .kind = ParameterKind::kText,
     .default_value = "none",
     .allowed = "none|linear|sqrt",
     .help = "Factor of learning_rate for several devices: their number (linear) or its square "
             "root (sqrt). Use it with batch_per_device, where the batch grows with the devices.",
     .communication = true},
    {.name = "lr_warmup_steps",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "steps",
     .help = "Steps in which the rate rises evenly from learning_rate to its scaled value "
             "(lr_scale). No effect if both are equal.",
     .communication = true,
     .readers = kScaleReaders},
    {.name = "lr_milestones",
     .kind = ParameterKind::kIntegers,
     .unit = "epochs",
     .help = "Epochs after which the rate is divided by ten: 30,60,80.",
     .optional = true},
    {.name = "weight_decay",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, inf)",
     .help = "Weight decay; decoupled for adamw."},
    {.name = "clip_norm",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, inf)",
     .help =
         "Gradient clipping: if the norm of all gradients of the model, summed over ranks, is "
         "larger, they are scaled down to it, as by PyTorch's clip_grad_norm_. 0 clips nothing."},
});

}  // namespace scalestudy::protocol
