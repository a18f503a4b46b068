// Parameters of `train`: checkpoints of the state of training, and failures to recover from.
#pragma once

#include <array>

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr auto kSavingParameters = std::to_array<ParameterInfo>({
    {.name = "save_every",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "steps",
     .help =
         "Steps after which all that training needs to go on is saved, between two steps and in no "
         "step's time; a run goes on from the newest checkpoint in its folder. 0: never."},
    {.name = "save_dir",
     .kind = ParameterKind::kText,
     .help =
         "Folder of checkpoints; a trial of a study makes one of its own in it and leaves nothing. "
         "Else, of a study, the folder for temporary files.",
     .optional = true},
    {.name = "save_cache",
     .kind = ParameterKind::kText,
     .default_value = "keep",
     .allowed = "keep|drop",
     .help =
         "Whether the system's page cache may keep a checkpoint: drop takes it out before it is "
         "loaded; checkpoint_cached_share says what was there all the same."},
    {.name = "failure",
     .kind = ParameterKind::kText,
     .default_value = "none",
     .allowed = "none|kill_rank|kill_node|sigterm|enospc|eio|link_down",
     .help =
         "What ends the run once, which another launch recovers from: SIGKILL of a rank or of all "
         "ranks of its node (virtual_node_ranks), SIGTERM with notice_s to save in, a save whose "
         "file answers ENOSPC or EIO (/dev/full, /proc/self/mem), or the end of the link of a "
         "rank's "
         "node (interconnect.bandwidth)."},
    {.name = "failure_step",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "steps",
     .help = "Steps, warm-up included, behind which the failure comes."},
    {.name = "failure_rank",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 65535]",
     .help = "The rank that is killed, or whose node is, whose file is not written, or whose link "
             "ends.",
     .communication = true},
    {.name = "notice_s",
     .kind = ParameterKind::kReal,
     .default_value = "30",
     .allowed = "(0, 3600]",
     .unit = "s",
     .help = "Time from failure sigterm to the end of every rank, saved or not: what a provider of "
             "machines declares."},
});

}  // namespace scalestudy::protocol
