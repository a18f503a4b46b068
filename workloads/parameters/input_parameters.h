// Parameters of the workload `train` about where its samples come from.
#pragma once

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr ParameterInfo kData{
    .name = "data",
    .kind = ParameterKind::kText,
    .default_value = "synthetic",
    .allowed = "synthetic|file",
    .unit = "",
    .help =
        "Where samples come from: synthetic ones are in memory before the first step; with "
        "file each step waits for its own to be read and decoded (data_time_s). Of a pipeline's "
        "stages the first reads inputs, the last labels."};

inline constexpr ParameterInfo kDataPath{
    .name = "data_path",
    .kind = ParameterKind::kText,
    .default_value = "",
    .allowed = "",
    .unit = "",
    .help =
        "A file of samples that ranks read, or a folder in which a trial writes one of "
        "data_samples synthetic samples before its first step, and leaves nothing; else the "
        "folder for temporary files.",
    .optional = true};

inline constexpr ParameterInfo kDataSamples{.name = "data_samples",
                                            .kind = ParameterKind::kInteger,
                                            .default_value = "4096",
                                            .allowed = "[1, 1000000000]",
                                            .unit = "samples",
                                            .help = "Samples of the file that a trial writes."};

inline constexpr ParameterInfo kDataCache{
    .name = "data_cache",
    .kind = ParameterKind::kText,
    .default_value = "keep",
    .allowed = "keep|drop",
    .unit = "",
    .help =
        "Whether the system's page cache keeps the file: drop takes it out before the first "
        "step, and each sample once it is read, so that every read asks the storage."};

inline constexpr ParameterInfo kDataPrefetch{
    .name = "data_prefetch",
    .kind = ParameterKind::kInteger,
    .default_value = "0",
    .allowed = "[0, 64]",
    .unit = "batches",
    .help =
        "Batches that a thread of each rank reads and decodes ahead; 0: each step reads its "
        "own first."};

inline constexpr ParameterInfo kDecodeTime{
    .name = "decode_us",
    .kind = ParameterKind::kReal,
    .default_value = "0",
    .allowed = "[0, 1000000]",
    .unit = "us",
    .help =
        "Emulates inputs that are costly to decode: each sample's is decoded again until that has "
        "taken so much CPU time. 0: once."};

}  // namespace scalestudy::protocol
