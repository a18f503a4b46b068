// Parameters of `train`: where samples come from, which are learned from, and how often.
#pragma once

#include <array>

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr auto kLossRefusals = std::to_array<Refusal>({
    {"mse", "data", "file", "its targets are in no file; use cross_entropy"},
});

inline constexpr auto kInputParameters = std::to_array<ParameterInfo>({
    {.name = "loss",
     .kind = ParameterKind::kText,
     .default_value = "cross_entropy",
     .allowed = "cross_entropy|mse",
     .help = "Loss on the network's output.",
     .refusals = kLossRefusals},
    {.name = "data",
     .kind = ParameterKind::kText,
     .default_value = "synthetic",
     .allowed = "synthetic|file",
     .help =
         "Where samples come from: synthetic ones are in memory before the first step; with "
         "file each step waits for its own to be read and decoded (data_time_s). Of a pipeline's "
         "stages the first reads inputs, the last labels."},
    {.name = "data_path",
     .kind = ParameterKind::kText,
     .help = "A file of samples that ranks read, or a folder in which a trial writes one of "
             "data_samples synthetic samples before its first step, and leaves nothing; else the "
             "folder for temporary files.",
     .optional = true},
    {.name = "data_samples",
     .kind = ParameterKind::kInteger,
     .default_value = "4096",
     .allowed = "[1, 1000000000]",
     .unit = "samples",
     .help = "Samples of the file that a trial writes."},
    {.name = "data_cache",
     .kind = ParameterKind::kText,
     .default_value = "keep",
     .allowed = "keep|drop",
     .help = "Whether the system's page cache keeps the file: drop takes it out before the first "
             "step, and each sample once it is read, so that every read asks the storage."},
    {.name = "data_prefetch",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 64]",
     .unit = "batches",
     .help = "Batches that a thread of each rank reads and decodes ahead; 0: each step reads its "
             "own first."},
    {.name = "decode_us",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "us",
     .help =
         "Emulates inputs that are costly to decode: each sample's is decoded again until that has "
         "taken so much CPU time. 0: once."},
});

inline constexpr auto kLearningParameters = std::to_array<ParameterInfo>({
    {.name = "seed",
     .kind = ParameterKind::kInteger,
     .default_value = "1",
     .allowed = "[0, inf)",
     .help = "Seed of data, initial parameters and dropout."},
    {.name = "vary_seed",
     .kind = ParameterKind::kFlag,
     .default_value = "false",
     .help =
         "Whether each block of trials has a seed of its own, seed plus the block's number, the "
         "same for all cells of the block."},
    {.name = "train_samples",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 1000000000]",
     .unit = "samples",
     .help = "Training samples, an epoch of them, in the same order in each; a multiple of the "
             "global batch. 0: a few batches used in turn."},
    {.name = "epochs",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 10000]",
     .unit = "epochs",
     .help = "Passes over train_samples, warm-up included: they give the number of measured steps, "
             "which a study calls rest. 0: the steps asked for."},
    {.name = "label_noise",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 50]",
     .unit = "%",
     .help = "Share of labels, held-out ones too, that are another class, drawn at random: no "
             "network's expected accuracy is above 100 % less this."},
    {.name = "held_out_samples",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 1000000000]",
     .unit = "samples",
     .help = "Samples that no rank trains on and accuracy is measured on after the last step; a "
             "multiple of the global batch. 0: none."},
    {.name = "evaluate",
     .kind = ParameterKind::kText,
     .default_value = "end",
     .allowed = "end|epochs",
     .help =
         "When accuracy is measured: at the end, or after each epoch too; never inside a step's "
         "time."},
});

}  // namespace scalestudy::protocol
