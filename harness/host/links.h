// Counters of what trials use beside CPUs and GPUs: network links and the energy of packages.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/machine.h"

namespace scalestudy {

// A network interface other than loopback, or a port of InfiniBand.
struct Link {
  std::string name;       // "network_eth0", "infiniband_mlx5_0_1"
  double capacity = 0.0;  // bytes/s in each direction; 0: not told
  double received = 0.0;  // bytes since it came up
  double sent = 0.0;      // bytes since it came up
};

// The links of the machine whose /sys is below `root`; links without counters are left out.
std::vector<Link> read_links(const std::filesystem::path& root);

// The traffic of each link: NAME_received_bytes, NAME_sent_bytes and, if the capacity is known,
// NAME_share, the share of it used in the direction that carried more. A link whose counters began
// anew is left out.
std::vector<Reading> traffic_between(const std::vector<Link>& before,
                                     const std::vector<Link>& after,
                                     double elapsed_s);

// A CPU package as RAPL counts its energy; AMD's CPUs have RAPL, too.
struct Package {
  std::string name;            // "intel-rapl:0"
  double energy_j = 0.0;       // energy counted so far
  double range_j = 0.0;        // energy at which the counter begins anew; 0: not told
  double before_j = 0.0;       // energy before it began anew, since the first reading
  std::size_t lost_turns = 0;  // how often it began anew without telling its range
};

// The packages of the machine whose /sys is below `root`.
std::vector<Package> read_packages(const std::filesystem::path& root);

// The next reading after `before`, from whose before_j it goes on. Between the two a counter may
// have begun anew once: at 300 W, Intel's 262 kJ last a quarter of an hour, and the 66 kJ of AMD's
// and older ones under four minutes.
std::vector<Package> following(const std::vector<Package>& before, std::vector<Package> after);

// Energy that all packages used between two readings, of which each follows the one before it.
// Absent without packages, and when a counter whose range is not told began anew between them.
std::optional<double> energy_between_j(const std::vector<Package>& before,
                                       const std::vector<Package>& after);

// The number that a file of /sys begins with; absent if there is none.
std::optional<double> number_in(const std::filesystem::path& file);

}  // namespace scalestudy
