// What NCCL's own log says of the variables that were to set it up.
#pragma once

#include <istream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace scalestudy {

// Of one run under NCCL_DEBUG=INFO with the subsystems of kNcclSubsystems, all its processes
// together. The lines' shapes are those of NCCL 2.28.9; "Algo 1 proto 2" of older ones is read too.
struct NcclLog {
  struct Collective {
    std::string function;   // "AllReduce"
    std::string algorithm;  // "TREE"; "" of a symmetric kernel, which has neither
    std::string protocol;   // "SIMPLE"
    auto operator<=>(const Collective&) const = default;
  };

  bool has_started = false;                    // some line is NCCL's
  std::set<Collective> collectives;            // NCCL tells those of each communicator's rank 0
  std::map<std::string, std::string> taken;    // by variable, the value NCCL says it was set to
  std::map<std::string, std::string> refused;  // by variable, NCCL's words
  std::set<std::string> named;                 // variables that some line names
  std::set<int> channels;                      // of collectives, by communicator
  std::set<std::string> transports;            // "P2P", "SHM", "NET/Socket"
};

inline constexpr const char* kNcclSubsystems = "INIT,ENV,TUNING,COLL,GRAPH,NET,P2P,SHM";

// Adds what one process wrote. Lines that are not NCCL's, or of no known shape, say nothing.
void read_nccl_log(std::istream& lines, NcclLog& log);

struct FoundSetting {
  // 1: every trace in the log is as asked; 0: some is not, or NCCL refused the value; -1: NCCL
  // never named the variable; absent: it may have been read, but nothing shows what came of it.
  std::optional<double> state;
  std::string text;  // "applied: AllReduce TREE SIMPLE"; "unconfirmed: NCCL read 4194304"
};

//   variable  "NCCL_ALGO"
//   asked     its value, in NCCL's own grammar: "Ring", "^NVLS",
//   "allreduce:tree,ring;broadcast:ring"
// Traces are left by NCCL_ALGO, NCCL_PROTO, the numbers of channels (NCCL_MIN_NCHANNELS, ...) and
// by what switches a transport off or chooses one (NCCL_P2P_DISABLE, NCCL_SHM_DISABLE,
// NCCL_IB_DISABLE, NCCL_NET); by others only that NCCL read them.
FoundSetting find_setting(const NcclLog& log,
                          const std::string& variable,
                          const std::string& asked);

}  // namespace scalestudy
