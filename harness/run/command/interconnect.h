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

// Of a cell: each node is a network namespace of this machine, with a link to all others.
struct EmulatedLinks {
  std::int64_t nodes = 0;  // two or more
  std::int64_t ranks_per_node = 1;
  std::int64_t bits_per_s = 0;  // of a link, in each direction; frames count with their headers
  std::int64_t delay_us = 0;    // from node to node, one way, besides
  bool is_to_fail = false;      // failure link_down: the launcher must find out by itself
};

// What a bucket may send at once: that of a millisecond, 16 kB at least, 128 KiB at most.
std::int64_t burst_bytes(const EmulatedLinks& links);

// Absent where no bandwidth is asked for, and of a rank alone.
std::optional<EmulatedLinks> links_of(const Cell& cell);

// data/interconnect.sh with the mpirun of the cell's ranks; the program is to follow.
//   cores_per_rank  that each gets to itself; 0: all share all.
std::vector<std::string> linked_launcher(const EmulatedLinks& links,
                                         std::int64_t cores_per_rank,
                                         const std::string& script);

// Variables of Open MPI with which ranks meet over the links alone. Where one is to fail, the
// launcher asks over each link whether it is there when it has heard nothing for so many seconds (1
// where what waits for a link takes less), three times so far apart, and then ends the ranks.
std::map<std::string, std::string> linked_environment(const EmulatedLinks& links);

// What a trial's links were by `lines`, in which interconnect.sh has left what tc said.
struct FoundLinks {
  // "setting.interconnect.bandwidth", and of a delay that too: 1 where the links were as asked, 0
  // where one was not, -1 where one was missing; link_sent_bytes, of all nodes together, headers
  // counted; link_dropped_packets.
  std::vector<TelemetryRow> telemetry;
  std::string text;  // "interconnect.bandwidth 1000 Mbit/s: applied by 2 links, ..."
};
FoundLinks find_links(std::istream& lines, const EmulatedLinks& links);

}  // namespace scalestudy
