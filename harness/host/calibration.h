// A product of fixed size, timed on several cores at once: the same work whenever it is asked for.
#pragma once

#include <optional>
#include <vector>

namespace scalestudy {

// Forks one process for each of `cpus`, bound to it, and gives the time of the slowest in s. The
// time of a process is the median of several products, so that a short disturbance does not count.
// Absent when `cpus` is empty or a process cannot be started.
std::optional<double> time_product(const std::vector<int>& cpus);

}  // namespace scalestudy
