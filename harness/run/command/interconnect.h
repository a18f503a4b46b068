// Ranks joined by emulated links: the command that makes them (data/interconnect.sh), and what its
// trials say of them.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/rows.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// The links of a cell's ranks. Each node is a network namespace of this machine.
struct EmulatedLinks {
  std::int64_t nodes = 0;  // two or more
  std::int64_t ranks_per_node = 1;
  std::int64_t bits_per_s = 0;  // a link's rate in each direction, frame headers included
  std::int64_t delay_us = 0;    // added delay from node to node, one way
  bool is_to_fail = false;      // failure link_down: the launcher must find out by itself
};

// Bytes that a link's token bucket may send at once: those of a millisecond, 16 kB at least, 128
// KiB at most.
std::int64_t burst_bytes(const EmulatedLinks& links);

// The links that a cell asks for; absent without a bandwidth, and for a single rank.
std::optional<EmulatedLinks> links_of(const Cell& cell);

// The words that start a cell's ranks over the links: data/interconnect.sh and mpirun, without the
// program.
// - cores_per_rank: cores that each rank gets to itself; 0: all share all.
std::vector<std::string> linked_launcher(const EmulatedLinks& links,
                                         std::int64_t cores_per_rank,
                                         const std::string& script);

// Variables of Open MPI that make ranks meet over the links alone. If a link is to fail, the
// launcher probes each link that has been silent (TCP keepalive), three times, and then ends the
// ranks. Silence and time between probes are what a link's waiting bytes take, in whole seconds.
std::map<std::string, std::string> linked_environment(const EmulatedLinks& links);

// What a trial's links were.
struct FoundLinks {
  // "setting.interconnect.bandwidth" and, with a delay, "setting.interconnect.delay": 1 if all
  // links were as asked, 0 if one was not, -1 if one was missing; link_sent_bytes of all nodes
  // together, headers included; link_dropped_packets.
  std::vector<TelemetryRow> telemetry;
  std::string text;  // "interconnect.bandwidth 125000000 bytes/s: applied (tc, of both ends of ..."
};

// Reads the output of tc that interconnect.sh left in `lines`.
FoundLinks find_links(std::istream& lines, const EmulatedLinks& links);

}  // namespace scalestudy
