// What one run under NCCL left behind of what NCCL did: in its log, or through our profiler plugin.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace scalestudy {

// What NCCL did in all processes of a run together.
struct NcclTrace {
  struct Collective {
    std::string function;   // "AllReduce"
    std::string algorithm;  // "TREE"; "" for a symmetric kernel
    std::string protocol;   // "SIMPLE"; "" for a symmetric kernel
    int channels = 0;       // channels that NCCL gave it; 0: unknown (the log alone)
    int threads = 0;        // threads of a block, those that only synchronise included; 0: unknown
    // NOLINTNEXTLINE(modernize-use-nullptr): the check takes the comparison with 0 for a pointer's
    auto operator<=>(const Collective&) const = default;
  };

  // A channel between two GPUs of one machine, by their NVML indices.
  struct Edge {
    std::string host;
    int from = 0;
    int to = 0;
    std::string transport;  // "P2P/CUMEM/read", "SHM/direct/direct"
    // NOLINTNEXTLINE(modernize-use-nullptr): the check takes the comparison with 0 for a pointer's
    auto operator<=>(const Edge&) const = default;
  };

  bool has_started = false;          // NCCL ran: some line of the log is its own
  bool has_profile = false;          // NCCL called the plugin
  bool is_cut = false;               // some file was not read to its end
  std::set<Collective> collectives;  // NCCL's log has those of each communicator's rank 0 alone
  std::set<int> message_channels;    // channels of a send or receive; known from the plugin alone

  // Values and words of NCCL, by the variable they are about.
  std::map<std::string, std::string> taken;       // the value that NCCL says it was set to
  std::map<std::string, std::string> refused;     // NCCL's words on a value that it refused
  std::map<std::string, std::string> configured;  // NCCL's words on a communicator's configuration
  std::set<std::string> named;                    // variables that some line names

  // Numbers that some communicator has.
  std::set<int> channels;       // channels of its collectives
  std::set<int> nvls_channels;  // channels of the NVLink switch's algorithm
  std::set<int> chunk_bytes;    // chunk sizes of send and receive

  std::set<std::string> transports;  // in full: "P2P/CUMEM/read", "NET/IB/0/GDRDMA"
  std::set<Edge> edges;
  std::map<std::pair<std::string, int>, std::string> buses;  // by host and GPU: "1000"
  // How far apart two GPUs are ("PHB"), by host and their two buses.
  std::map<std::tuple<std::string, std::string, std::string>, std::string> paths;
  // The most threads of a block, by algorithm and protocol. Algorithms are named as in NCCL's
  // table: "CollNetDirect".
  std::map<std::pair<std::string, std::string>, std::set<int>> most_threads;
};

// What NCCL made of one variable that a cell sets.
struct FoundSetting {
  // 1: every trace is as asked; 0: some is not, or NCCL refused the value; -1: NCCL never named the
  // variable; absent: it may have been read, but nothing shows what came of it.
  std::optional<double> state;
  std::string text;  // "applied: AllReduce TREE SIMPLE"; "unconfirmed: NCCL read 4194304"
};

}  // namespace scalestudy
