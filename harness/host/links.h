// Counters of what trials use beside CPUs and GPUs: network links and the energy of packages.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/host/machine.h"

namespace scalestudy {

// A network interface but loopback, or a port of InfiniBand.
struct Link {
  std::string name;       // "network_eth0", "infiniband_mlx5_0_1"
  double capacity = 0.0;  // bytes/s in each direction; 0: not told
  double received = 0.0;  // bytes since it came up
  double sent = 0.0;
};

// Of the machine below `root`; those without counters left out.
std::vector<Link> read_links(const std::filesystem::path& root);

// Of each link NAME_received_bytes, NAME_sent_bytes and, where its capacity is known, NAME_share:
// of the capacity, in the direction that carried more. Nothing of a link that began to count anew.
std::vector<Reading> traffic_between(const std::vector<Link>& before,
                                     const std::vector<Link>& after,
                                     double elapsed_s);

// A CPU package by RAPL, which AMD's have, too.
struct Package {
  std::string name;       // "intel-rapl:0"
  double energy_j = 0.0;  // counted so far
  double range_j = 0.0;   // where it begins anew; 0: not told
};

std::vector<Package> read_packages(const std::filesystem::path& root);

// Used by all of them, each counted round once at most; absent without any, or where one began anew
// and does not say at what.
std::optional<double> energy_between_j(const std::vector<Package>& before,
                                       const std::vector<Package>& after);

// The number that a file of /sys begins with; absent without one.
std::optional<double> number_in(const std::filesystem::path& file);

}  // namespace scalestudy
