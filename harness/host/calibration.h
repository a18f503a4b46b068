// A product of fixed size, timed on several cores at once: the same work whenever it is asked for.
#pragma once

#include <optional>
#include <vector>

namespace scalestudy {

// Forks one process for each of `cpus`, bound to it, and gives the slowest one's time in s: of each
// the median of several products, so that a moment's disturbance is none. Absent for no CPU, or
// when a process cannot be started.
std::optional<double> time_product(const std::vector<int>& cpus);

}  // namespace scalestudy
