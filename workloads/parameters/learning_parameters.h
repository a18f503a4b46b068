// Parameters of `train` about what is learned: the samples, how long, and the learning rate.
#pragma once

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr ParameterInfo kRateScale{
    .name = "lr_scale",
    .kind = ParameterKind::kText,
    .default_value = "none",
    .allowed = "none|linear|sqrt",
    .unit = "",
    .help =
        "What several devices multiply learning_rate by: their number (linear) or its square "
        "root (sqrt), as the batch grows with them where batch_per_device is given.",
    .communication = true};

inline constexpr ParameterInfo kRateWarmupSteps{
    .name = "lr_warmup_steps",
    .kind = ParameterKind::kInteger,
    .default_value = "0",
    .allowed = "[0, 1000000]",
    .unit = "steps",
    .help =
        "Steps in which the rate rises from learning_rate to what lr_scale makes of it, by as "
        "much in each; without effect where that is the same.",
    .communication = true};

inline constexpr ParameterInfo kRateMilestones{
    .name = "lr_milestones",
    .kind = ParameterKind::kIntegers,
    .default_value = "",
    .allowed = "",
    .unit = "epochs",
    .help = "Numbers of epochs after each of which the rate is a tenth of what it was: 30,60,80.",
    .optional = true};

inline constexpr ParameterInfo kVarySeed{
    .name = "vary_seed",
    .kind = ParameterKind::kFlag,
    .default_value = "false",
    .allowed = "",
    .unit = "",
    .help =
        "Whether each block of trials has a seed of its own, seed plus the block's number, the "
        "same for all cells of the block."};

inline constexpr ParameterInfo kTrainSamples{
    .name = "train_samples",
    .kind = ParameterKind::kInteger,
    .default_value = "0",
    .allowed = "[0, 1000000000]",
    .unit = "samples",
    .help =
        "Training samples, an epoch of them, in the same order in each; a multiple of the "
        "global batch. 0: a few batches used in turn."};

inline constexpr ParameterInfo kEpochs{
    .name = "epochs",
    .kind = ParameterKind::kInteger,
    .default_value = "0",
    .allowed = "[0, 10000]",
    .unit = "epochs",
    .help =
        "Passes over train_samples, warm-up included: they give the number of measured steps, "
        "which a study calls rest. 0: the steps asked for."};

inline constexpr ParameterInfo kLabelNoise{
    .name = "label_noise",
    .kind = ParameterKind::kReal,
    .default_value = "0",
    .allowed = "[0, 50]",
    .unit = "%",
    .help =
        "Share of labels, held-out ones too, that are another class, drawn at random: no "
        "network's expected accuracy is above 100 % less this."};

inline constexpr ParameterInfo kHeldOutSamples{
    .name = "held_out_samples",
    .kind = ParameterKind::kInteger,
    .default_value = "0",
    .allowed = "[0, 1000000000]",
    .unit = "samples",
    .help =
        "Samples that no rank trains on and accuracy is measured on after the last step; a "
        "multiple of the global batch. 0: none."};

inline constexpr ParameterInfo kEvaluate{
    .name = "evaluate",
    .kind = ParameterKind::kText,
    .default_value = "end",
    .allowed = "end|epochs",
    .unit = "",
    .help =
        "When accuracy is measured: at the end, or after each epoch too; never inside a step's "
        "time."};

}  // namespace scalestudy::protocol
