// Shared by the loops of the CPU backend: vector units and this rank's cores.
#pragma once

#include <cstddef>

#include "workloads/ops/exponential.h"

// One copy for each generation of x86 vector units, chosen when the program starts: the binary runs
// everywhere and is not slow on the CPU it meets. Not under clang 14, which clones no templates.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define SCALESTUDY_VECTORISED \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SCALESTUDY_VECTORISED
#endif

namespace scalestudy::ops {

// Calls work(begin, end) once for each thread, on contiguous parts of [0, count).
template <typename Work>
void for_parts(int threads, std::size_t count, const Work& work) {
  const auto parts = static_cast<std::size_t>(threads);
  if (parts == 1) {
    work(std::size_t{0}, count);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    work(count * part / parts, count * (part + 1) / parts);
  }
}

}  // namespace scalestudy::ops
