// Which cores a thread may run on; a new thread gets its creator's.
#pragma once

#include <vector>

namespace scalestudy::rank {

// Of the calling thread, ascending; empty on a machine with more cores than a cpu_set_t holds
// (1024).
std::vector<int> own_cores();

// Lets the calling thread run on `cores` alone; does nothing for none of them. Cores that the
// machine or the container does not have are left out, silently where some remain.
void run_on(const std::vector<int>& cores);

}  // namespace scalestudy::rank
