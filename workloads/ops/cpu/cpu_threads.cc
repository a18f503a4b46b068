#include "workloads/ops/cpu/cpu_threads.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

#include <omp.h>

#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/rank/affinity.h"
#include "workloads/rank/denormals.h"

namespace scalestudy::ops {
namespace {

std::vector<int> cores_of_place(int place) {
  std::vector<int> cores(static_cast<std::size_t>(omp_get_place_num_procs(place)));
  omp_get_place_proc_ids(place, cores.data());
  return cores;
}

bool are_threads_bound() {
  return omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0;
}

}  // namespace

void unbind_main_thread() {
  std::vector<int> all;
  for (int place = 0; are_threads_bound() && place < omp_get_num_places(); ++place) {
    const std::vector<int> cores = cores_of_place(place);
    all.insert(all.end(), cores.begin(), cores.end());
  }
  rank::run_on(all);
}

void bind_main_thread() {
  if (are_threads_bound() && omp_get_place_num() >= 0) {
    rank::run_on(cores_of_place(omp_get_place_num()));
  }
}

int set_cpu_threads(int threads) {
  omp_set_dynamic(0);
  omp_set_max_active_levels(std::max(1, omp_get_max_active_levels()));
  omp_set_num_threads(threads);
  return std::min(threads, omp_get_thread_limit());
}

std::vector<int> cores_of_threads(int threads) {
  std::set<int> cores;
#pragma omp parallel num_threads(threads)
  {
    const std::vector<int> own = rank::own_cores();
#pragma omp critical
    cores.insert(own.begin(), own.end());
  }
  return {cores.begin(), cores.end()};
}

std::vector<int> cores_beside(int threads, const std::vector<int>& cores) {
  const std::vector<int> taken = cores_of_threads(threads);
  std::vector<int> rest;
  std::ranges::set_difference(cores, taken, std::back_inserter(rest));
  return rest;
}

bool cpu_threads_flush_denormals(int threads) {
  bool all_flush = true;
#pragma omp parallel num_threads(threads) reduction(&& : all_flush)
  all_flush = rank::flushes_denormals();
  return all_flush;
}

void clear_by_threads(int threads, void* block, std::size_t bytes) {
  for_parts(threads, bytes, [&](std::size_t begin, std::size_t end) {
    std::memset(static_cast<std::byte*>(block) + begin, 0, end - begin);
  });
}

}  // namespace scalestudy::ops
