// Parameters of `train`: checkpoints of the state of training, and failures to recover from.
#pragma once

#include <array>

#include "workloads/parameters/parameters.h"

namespace scalestudy::protocol {

inline constexpr auto kSaveReaders = std::to_array<Reader>({{"save_every", "!0"}});
inline constexpr auto kSupervisorReaders =
    std::to_array<Reader>({{"save_every", "!0"}, {"failure", "!none"}});
inline constexpr auto kFailureReaders = std::to_array<Reader>({{"failure", "!none"}});
inline constexpr auto kNoticeReaders = std::to_array<Reader>({{"failure", "sigterm"}});

inline constexpr auto kSavingParameters = std::to_array<ParameterInfo>({
    {.name = "save_every",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "steps",
     .help =
         "Save everything that training needs after this many steps, between two steps and outside "
         "their times. A run continues from the newest checkpoint in its folder. 0: never."},
    {.name = "save_dir",
     .kind = ParameterKind::kText,
     .help = "Folder of checkpoints. A trial makes a folder of its own in it and removes it "
             "afterwards. By default, in a study, the folder for temporary files.",
     .optional = true,
     .readers = kSupervisorReaders},
    {.name = "save_cache",
     .kind = ParameterKind::kText,
     .default_value = "keep",
     .allowed = "keep|drop",
     .help = "Whether the system's page cache may keep a checkpoint. drop removes it before it is "
             "loaded; checkpoint_cached_share says how much was still there.",
     .condition = true,
     .readers = kSaveReaders},
    {.name = "failure",
     .kind = ParameterKind::kText,
     .default_value = "none",
     .allowed = "none|kill_rank|kill_node|sigterm|enospc|eio|link_down",
     .help = "What ends the run once, so that the next launch must recover: SIGKILL of a rank "
             "(kill_rank) or of all ranks of its node (kill_node, by virtual_node_ranks); SIGTERM "
             "with notice_s to save in; a save whose file answers ENOSPC or EIO; or the end of the "
             "link of a rank's node (link_down, with interconnect.bandwidth).",
     .condition = true},
    {.name = "failure_step",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 1000000]",
     .unit = "steps",
     .help = "Number of steps, warm-up included, after which the failure happens.",
     .condition = true,
     .readers = kFailureReaders},
    {.name = "failure_rank",
     .kind = ParameterKind::kInteger,
     .default_value = "0",
     .allowed = "[0, 65535]",
     .help = "The rank that the failure is about: it or its node is killed, its file is not "
             "written, or its link ends.",
     .communication = true,
     .condition = true,
     .readers = kFailureReaders},
    {.name = "notice_s",
     .kind = ParameterKind::kReal,
     .default_value = "30",
     .allowed = "(0, 3600]",
     .unit = "s",
     .help = "Time from failure sigterm until every rank is ended, whether it has saved or not. "
             "Providers of machines declare it.",
     .condition = true,
     .readers = kNoticeReaders},
});

}  // namespace scalestudy::protocol
