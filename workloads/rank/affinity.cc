#include "workloads/rank/affinity.h"

#include <algorithm>
#include <numeric>

#include <sched.h>
#include <unistd.h>

namespace scalestudy::rank {
namespace {

// Of cores; one cpu_set_t has 1024 of them.
using CoreSet = std::vector<cpu_set_t>;

std::size_t bytes_of(const CoreSet& set) {
  return set.size() * sizeof(cpu_set_t);
}

// Of those that run on `cores` alone.
std::size_t threads_on(const std::vector<int>& cores, std::span<const CoreUse> ranks) {
  std::size_t threads = 0;
  for (const CoreUse& rank : ranks) {
    threads +=
        std::ranges::includes(cores, rank.cores) ? static_cast<std::size_t>(rank.threads) : 0;
  }
  return threads;
}

}  // namespace

std::vector<int> own_cores() {
  // The kernel refuses a set too small for all the cores that the machine could have.
  for (CoreSet set(1); set.size() <= 64; set.resize(2 * set.size())) {
    if (sched_getaffinity(0, bytes_of(set), set.data()) == 0) {
      std::vector<int> cores;
      for (int core = 0; core < static_cast<int>(8 * bytes_of(set)); ++core) {
        if (CPU_ISSET_S(core, bytes_of(set), set.data())) {
          cores.push_back(core);
        }
      }
      return cores;
    }
  }
  std::vector<int> cores(static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))));
  std::iota(cores.begin(), cores.end(), 0);
  return cores;
}

void run_on(const std::vector<int>& cores) {
  if (cores.empty()) {
    return;
  }
  CoreSet set(static_cast<std::size_t>(std::ranges::max(cores)) / CPU_SETSIZE + 1);
  for (const int core : cores) {
    CPU_SET_S(core, bytes_of(set), set.data());
  }
  sched_setaffinity(0, bytes_of(set), set.data());
}

bool is_crowded(std::span<const CoreUse> ranks) {
  std::vector<int> all;
  for (const CoreUse& rank : ranks) {
    all.insert(all.end(), rank.cores.begin(), rank.cores.end());
  }
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return threads_on(all, ranks) > all.size() ||
         std::ranges::any_of(ranks, [&](const CoreUse& rank) {
           return threads_on(rank.cores, ranks) > rank.cores.size();
         });
}

}  // namespace scalestudy::rank
