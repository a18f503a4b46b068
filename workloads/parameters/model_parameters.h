// Parameters of `train`: what is trained, on how many devices and in which batches.
#pragma once

#include <array>

#include "workloads/parameters/tables.h"

namespace scalestudy::protocol {

inline constexpr auto kPrecisionRefusals = std::to_array<Refusal>({
    {"tf32", "backend", "cpu", "TF32 is a mode of GPUs; use fp32"},
    {"fp16", "backend", "cpu", "CPU cores have no arithmetic of it; use fp32"},
    {"fp64", "backend", "cuda", "it is the CPU's correctness oracle; use fp32"},
    {"tf32",
     "env.NVIDIA_TF32_OVERRIDE",
     "0",
     "the variable makes it fp32; leave one of the two out"},
});

inline constexpr auto kModelParameters = std::to_array<ParameterInfo>({
    {.name = "devices",
     .kind = ParameterKind::kInteger,
     .default_value = "1",
     .allowed = "[1, 65536]",
     .unit = "ranks",
     .help = "Number of ranks; each computes on one device."},
    kNodes,
    {.name = "batch_global",
     .kind = ParameterKind::kInteger,
     .allowed = "[1, 1000000000]",
     .unit = "samples",
     .help = "Samples of one step over all ranks (strong scaling); this or batch_per_device.",
     .optional = true},
    {.name = "batch_per_device",
     .kind = ParameterKind::kInteger,
     .allowed = "[1, 1000000000]",
     .unit = "samples",
     .help = "Samples of one step on each rank (weak scaling); this or batch_global.",
     .optional = true},
    {.name = "model",
     .kind = ParameterKind::kText,
     .default_value = "mlp-258k",
     .allowed = "mlp-258k|mlp-6.9m|mlp-4096|gpt-tiny|gpt2-124m|gpt2-1558m|gpt-6.7b|gpt-175b|"
                "llama-7b|llama-13b|llama-30b|resnet50-cifar|resnet50|lstm-332k|gru-250k",
     .help = "The network that is trained. mlp-258k: layers 799-256-128-64-192, dropout 0.2. "
             "mlp-6.9m: layers 4608-1024-1024-512-512-256-768, dropout 0.3. mlp-4096: layers "
             "4096-4096-4096-4096-2048. gpt-tiny: 4 blocks of width 192 and 6 heads, 128 tokens "
             "of 1024. lstm-332k, gru-250k: width 256, 64 steps of 64 values. The others are "
             "published models. Only the first two have dropout."},
    {.name = "model.layers",
     .kind = ParameterKind::kInteger,
     .allowed = "[1, 128]",
     .unit = "layers",
     .help = "Hidden layers of mlp-4096 (3), blocks of a transformer or of each ResNet stage.",
     .optional = true},
    {.name = "model.width",
     .kind = ParameterKind::kInteger,
     .allowed = "[1, 65536]",
     .unit = "elements",
     .help = "Width of a model that has one; else the model's own.",
     .optional = true},
    {.name = "model.heads",
     .kind = ParameterKind::kInteger,
     .allowed = "[1, 1024]",
     .unit = "heads",
     .help = "Attention heads of a transformer; else the model's own.",
     .optional = true},
    {.name = "model.sequence",
     .kind = ParameterKind::kInteger,
     .allowed = "[1, 1048576]",
     .unit = "steps",
     .help = "Tokens or steps of a sample of a sequence model; else the model's own.",
     .optional = true},
    {.name = "model.vocabulary",
     .kind = ParameterKind::kInteger,
     .allowed = "[4, 1048576]",
     .unit = "tokens",
     .help = "Different tokens of a transformer; else the model's own.",
     .optional = true},
    {.name = "model.image",
     .kind = ParameterKind::kInteger,
     .allowed = "[1, 1024]",
     .unit = "pixels",
     .help = "Side of a ResNet's square images; else the model's own.",
     .optional = true},
    {.name = "model.ghost_batches",
     .kind = ParameterKind::kInteger,
     .allowed = "[1, 65536]",
     .unit = "parts",
     .help = "Number of parts of a device's batch that a ResNet normalises separately (1).",
     .optional = true},
    {.name = "backend",
     .kind = ParameterKind::kText,
     .default_value = "cpu",
     .allowed = "cpu|cuda",
     .help = "What computes: CPU cores or a GPU."},
    {.name = "precision",
     .kind = ParameterKind::kText,
     .default_value = "fp32",
     .allowed = "fp32|fp64|tf32|bf16|fp16",
     .help = "Type of parameters, activations and gradients; 16-bit ones have fp32 master weights. "
             "On CPU cores bf16 needs AVX-512 BF16 or AMX; without them a trial is unsupported.",
     .refusals = kPrecisionRefusals},
});

}  // namespace scalestudy::protocol
