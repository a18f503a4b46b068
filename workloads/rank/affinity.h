// Which cores a thread may run on; a new thread gets its creator's.
#pragma once

#include <span>
#include <vector>

namespace scalestudy::rank {

// The cores of the calling thread, ascending; if the system does not tell, as many as are online.
std::vector<int> own_cores();

// Lets the calling thread run on `cores` only; does nothing if that is empty. Cores that the
// machine or the container does not have are left out, silently as long as some remain.
void run_on(const std::vector<int>& cores);

// How many threads of a rank compute, and the cores that they may run on, ascending.
struct CoreUse {
  int threads = 1;
  std::vector<int> cores;
};

// Whether the ranks of one machine have fewer cores than threads: all of them together, or those
// that may run on the cores of one of them alone.
bool is_crowded(std::span<const CoreUse> ranks);

}  // namespace scalestudy::rank
