// Whether NCCL did what the variables that were to set it up ask for.
#pragma once

#include <optional>
#include <string>

#include "harness/run/nccl/nccl_trace.h"

namespace scalestudy {

struct FoundSetting {
  // 1: every trace is as asked; 0: some is not, or NCCL refused the value; -1: NCCL never named the
  // variable; absent: it may have been read, but nothing shows what came of it.
  std::optional<double> state;
  std::string text;  // "applied: AllReduce TREE SIMPLE"; "unconfirmed: NCCL read 4194304"
};

//   variable  "NCCL_ALGO"
//   asked     its value, in NCCL's own grammar: "Ring", "^NVLS",
//             "allreduce:tree,ring;broadcast:ring"
// What counts as a trace of which variable: docs/study-file.md. A variable that allows something
// (NCCL_NVLS_ENABLE=1) counts as applied where that was in use. That NCCL read a value is none.
FoundSetting find_setting(const NcclTrace& trace,
                          const std::string& variable,
                          const std::string& asked);

}  // namespace scalestudy
