// Parameters of `train`: how ranks share a step, and what they keep of it.
#pragma once

#include <array>

#include "workloads/parameters/strategy_table.h"
#include "workloads/parameters/tables.h"

namespace scalestudy::protocol {

inline constexpr MadeText kStrategyWords = [] {
  MadeText words;
  for (const StrategyInfo& strategy : kStrategies) {
    words.add_word(strategy.name);
  }
  return words;
}();

inline constexpr MadeText kStrategyHelp = [] {
  MadeText help;
  for (const StrategyInfo& strategy : kStrategies) {
    help.add(help.size == 0 ? "How ranks share a step: " : "; ");
    help.add(strategy.name);
    help.add(" ");
    help.add(strategy.meaning);
  }
  help.add(".");
  return help;
}();

inline constexpr auto kFsdpReaders = std::to_array<Reader>({{"strategy", "fsdp"}});
inline constexpr auto kLocalSgdReaders = std::to_array<Reader>({{"strategy", "local_sgd"}});
inline constexpr auto kPowerSgdReaders = std::to_array<Reader>({{"strategy", "powersgd"}});

inline constexpr auto kStrategyParameters = std::to_array<ParameterInfo>({
    {.name = "strategy",
     .kind = ParameterKind::kText,
     .default_value = kStrategies.front().name,
     .allowed = kStrategyWords.view(),
     .help = kStrategyHelp.view()},
    {.name = "shares",
     .kind = ParameterKind::kText,
     .default_value = "equal",
     .help = "How ranks share the batch: equal; by a weight for each rank (1:2 if the second "
             "device is twice as fast); or proportional to the speed of each rank in a few steps "
             "before the warm-up. Gradients are the mean over all samples. With batch_per_device, "
             "that is the mean of the shares.",
     .communication = true,
     .takes_memory = true},
    {.name = "offload",
     .kind = ParameterKind::kText,
     .default_value = "none",
     .allowed = "none|optimizer",
     .help = "What is kept in host memory instead of the GPU's. optimizer: its state and the fp32 "
             "parameters; each rank updates its part on its CPU cores (threads). Every step copies "
             "gradients down and parameters up. GPU only."},
    {.name = "fsdp_prefetch",
     .kind = ParameterKind::kInteger,
     .default_value = "1",
     .allowed = "[0, 64]",
     .unit = "units",
     .help = "Units (layers or blocks) that fsdp gathers ahead of the one that computes, unless "
             "overlap is none.",
     .readers = kFsdpReaders},
    {.name = "reshard_after_forward",
     .kind = ParameterKind::kFlag,
     .default_value = "true",
     .help = "Whether fsdp frees a unit's parameters after forward and gathers them again for "
             "backward; false: less to send, more memory.",
     .readers = kFsdpReaders},
    {.name = "sync_every",
     .kind = ParameterKind::kInteger,
     .default_value = "1",
     .allowed = "[1, 10000]",
     .unit = "steps",
     .help = "Steps of local_sgd from one average of the parameters to the next; warm-up and "
             "measured steps are multiples of it.",
     .communication = true,
     .readers = kLocalSgdReaders},
    {.name = "powersgd_rank",
     .kind = ParameterKind::kInteger,
     .default_value = "1",
     .allowed = "[1, 65536]",
     .unit = "columns",
     .help = "With powersgd, columns of the two thin matrices that are sent for a matrix, at most "
             "as many as its smaller side has; vectors are sent whole.",
     .communication = true,
     .takes_memory = true,
     .readers = kPowerSgdReaders},
    {.name = "checkpoint_every",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 64]",
     .unit = "blocks",
     .help = "Activation checkpointing of a transformer: for each group of this many blocks, only "
             "the input is kept and backward computes the group again, except the last group. 0 "
             "keeps all."},
});

}  // namespace scalestudy::protocol
