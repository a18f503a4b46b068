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

// Of all processes of the run together.
struct NcclTrace {
  struct Collective {
    std::string function;   // "AllReduce"
    std::string algorithm;  // "TREE"; "" of a symmetric kernel, which has neither
    std::string protocol;   // "SIMPLE"
    int channels = 0;       // that it was given; 0 where that is not known (the log alone)
    int threads = 0;        // of a block, those that only synchronise included; 0 likewise
    auto operator<=>(const Collective&) const = default;
  };

  // A channel of two GPUs of one machine, by NVML's numbers of them.
  struct Edge {
    std::string host;
    int from = 0;
    int to = 0;
    std::string transport;  // "P2P/CUMEM/read", "SHM/direct/direct"
    auto operator<=>(const Edge&) const = default;
  };

  bool has_started = false;          // NCCL was there: some line is its own
  bool has_profile = false;          // and called the plugin
  bool is_cut = false;               // a file of it was not read to its end
  std::set<Collective> collectives;  // NCCL's log tells those of each communicator's rank 0
  std::set<int> message_channels;    // of a send or receive; the plugin alone

  std::map<std::string, std::string> taken;       // by variable, the value NCCL says it was set to
  std::map<std::string, std::string> refused;     // by variable, NCCL's words
  std::map<std::string, std::string> configured;  // by variable, NCCL's words of a communicator's
  std::set<std::string> named;                    // variables that some line names

  std::set<int> channels;            // of collectives, by communicator
  std::set<int> nvls_channels;       // of the NVLink switch's algorithm, likewise
  std::set<int> chunk_bytes;         // of send and receive, likewise
  std::set<std::string> transports;  // in full: "P2P/CUMEM/read", "NET/IB/0/GDRDMA"
  std::set<Edge> edges;
  std::map<std::pair<std::string, int>, std::string> buses;  // of a host's GPU, "1000"
  // From bus to bus of a host, how far apart the GPUs are: "PHB".
  std::map<std::tuple<std::string, std::string, std::string>, std::string> paths;
  // By algorithm and protocol, the most threads that a block gets. Algorithms as NCCL's table has
  // them, "CollNetDirect".
  std::map<std::pair<std::string, std::string>, std::set<int>> most_threads;
};

// What became of one variable.
struct FoundSetting {
  // 1: every trace is as asked; 0: some is not, or NCCL refused the value; -1: NCCL never named the
  // variable; absent: it may have been read, but nothing shows what came of it.
  std::optional<double> state;
  std::string text;  // "applied: AllReduce TREE SIMPLE"; "unconfirmed: NCCL read 4194304"
};

}  // namespace scalestudy
