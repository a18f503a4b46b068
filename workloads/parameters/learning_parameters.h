// Parameters of `train`: where samples come from, which are learned from, and how often.
#pragma once

#include <array>

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr auto kLossRefusals = std::to_array<Refusal>({
    {"mse", "data", "file", "its targets are in no file; use cross_entropy"},
});

inline constexpr auto kFileReaders = std::to_array<Reader>({{"data", "file"}});

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
     .help = "Where samples come from. synthetic: they are in memory before the first step. file: "
             "each step waits until its samples are read and decoded (data_time_s). In a pipeline, "
             "the first stage reads inputs and the last one labels.",
     .condition = true},
    {.name = "data_path",
     .kind = ParameterKind::kText,
     .help = "A file of samples to read. Or a folder, where a trial writes a file of data_samples "
             "synthetic samples before its first step and removes it afterwards. By default the "
             "folder for temporary files.",
     .optional = true,
     .condition = true,
     .readers = kFileReaders},
    {.name = "data_samples",
     .kind = ParameterKind::kInteger,
     .default_value = "4096",
     .allowed = "[1, 1000000000]",
     .unit = "samples",
     .help = "Number of samples in the file that a trial writes.",
     .condition = true,
     .readers = kFileReaders},
    {.name = "data_cache",
     .kind = ParameterKind::kText,
     .default_value = "keep",
     .allowed = "keep|drop",
     .help = "Whether the system's page cache may keep the file. drop removes it before the first "
             "step, and each sample after it is read, so that every read goes to the storage.",
     .condition = true,
     .readers = kFileReaders},
    {.name = "data_prefetch",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 64]",
     .unit = "batches",
     .help = "Number of batches that a thread of each rank reads and decodes ahead. 0: each step "
             "reads its own batch first.",
     .readers = kFileReaders},
    {.name = "decode_us",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "us",
     .help = "Emulates inputs that are costly to decode: each sample is decoded again until this "
             "much CPU time has passed. 0: once.",
     .condition = true,
     .readers = kFileReaders},
});

inline constexpr auto kLearningParameters = std::to_array<ParameterInfo>({
    {.name = "seed",
     .kind = ParameterKind::kInteger,
     .default_value = "1",
     .allowed = "[0, inf)",
     .help = "Seed of data, initial parameters and dropout.",
     .condition = true},
    {.name = "vary_seed",
     .kind = ParameterKind::kFlag,
     .default_value = "false",
     .help = "Whether each block of trials has its own seed: seed plus the number of the block, "
             "the same for all cells of the block."},
    {.name = "train_samples",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 1000000000]",
     .unit = "samples",
     .help = "Samples of an epoch, in the same order in each; a multiple of the global batch. 0: a "
             "few batches, used in turn."},
    {.name = "epochs",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 10000]",
     .unit = "epochs",
     .help = "Passes over train_samples, warm-up included. They give the number of measured steps; "
             "write measured: rest in the study. 0: the declared number of steps."},
    {.name = "label_noise",
     .kind = ParameterKind::kReal,
     .default_value = "0",
     .allowed = "[0, 50]",
     .unit = "%",
     .help = "Share of labels that are replaced by another class at random, also among held-out "
             "samples. No network can expect an accuracy above 100 % minus this.",
     .condition = true},
    {.name = "held_out_samples",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 1000000000]",
     .unit = "samples",
     .help = "Samples that no rank trains on. Accuracy is measured on them after the last step. A "
             "multiple of the global batch; 0: none."},
    {.name = "evaluate",
     .kind = ParameterKind::kText,
     .default_value = "end",
     .allowed = "end|epochs",
     .help = "When accuracy is measured: at the end, or also after each epoch; never within the "
             "time of a step."},
});

}  // namespace scalestudy::protocol
