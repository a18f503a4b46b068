// Reads what NCCL logged.
#pragma once

#include <istream>

#include "harness/run/nccl/nccl_trace.h"

namespace scalestudy {

// What NCCL_DEBUG_SUBSYS has to be for the lines that read_nccl_log() reads.
inline constexpr const char* kNcclSubsystems = "INIT,ENV,TUNING,COLL,GRAPH,NET,P2P,SHM";

// Adds to `trace` what one process wrote under NCCL_DEBUG=INFO with the subsystems of
// kNcclSubsystems. The lines' shapes are those of NCCL 2.28.9; "Algo 1 proto 2" of older ones is
// read too. Lines that are not NCCL's, or of no known shape, say nothing.
void read_nccl_log(std::istream& lines, NcclTrace& trace);

}  // namespace scalestudy
