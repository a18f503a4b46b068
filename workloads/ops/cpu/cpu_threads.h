// The threads that operations of the CPU backend run on: OpenMP's, of which the first is main.
#pragma once

#include <cstddef>
#include <vector>

namespace scalestudy::ops {

// Gives the main thread all cores of the process back. Call it first in main(): if OMP_PROC_BIND
// binds threads, OpenMP's library has bound main to one core before main() began, and every thread
// started later (MPI's, NCCL's, the driver's) would inherit that core alone.
void unbind_main_thread();

// Binds the main thread to its core again if OMP_PROC_BIND binds threads.
void bind_main_thread();

// Makes parallel regions have `threads` threads, whatever OMP_DYNAMIC and OMP_MAX_ACTIVE_LEVELS
// say. Returns how many they then have: fewer if OMP_THREAD_LIMIT says so, and then oneDNN, which
// cuts its work into `threads` parts before, computes only the first of them.
int set_cpu_threads(int threads);

// The cores that this many threads may run on, ascending.
std::vector<int> cores_of_threads(int threads);

// The ones of `cores` that none of this many threads may run on; none if threads are not bound.
std::vector<int> cores_beside(int threads, const std::vector<int>& cores);

// Whether denormals count as zero (workloads/rank/denormals.h) on all of these threads.
bool cpu_threads_flush_denormals(int threads);

// Zeroes `bytes` at `block`. Each thread zeroes the part that loops give it, so that the memory
// lies near the core that uses it.
void clear_by_threads(int threads, void* block, std::size_t bytes);

}  // namespace scalestudy::ops
