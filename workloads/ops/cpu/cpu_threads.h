// The threads that operations of the CPU backend run on: OpenMP's, of which the first is main.
#pragma once

#include <cstddef>
#include <vector>

namespace scalestudy::ops {

// To be called first in main(). Where OMP_PROC_BIND binds threads, OpenMP's library has bound main
// to one core before main() began, and every thread started later would inherit that core alone:
// MPI's, NCCL's, the driver's. Gives main the cores of all its threads back, which are the
// process's.
void unbind_main_thread();

// Binds main to its core again, where OMP_PROC_BIND binds threads.
void bind_main_thread();

// That these threads may run on, ascending.
std::vector<int> cores_of_threads(int threads);

// Of `cores`, those that none of these threads may run on; none where they are not bound.
std::vector<int> cores_beside(int threads, const std::vector<int>& cores);

// Whether denormals count as zero (workloads/rank/denormals.h) on all of these threads.
bool cpu_threads_flush_denormals(int threads);

// Zeroes `bytes` at `block`, each thread the part that loops over it give it: the memory comes to
// lie near the core that uses it.
void clear_by_threads(int threads, void* block, std::size_t bytes);

}  // namespace scalestudy::ops
