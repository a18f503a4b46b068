// Shared by the loops of the CPU backend: vector units and this rank's cores.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <type_traits>

#include "workloads/device/data_type.h"
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

// The sum of term(i) for i in [0, count). Each thread sums a part, and the parts are added in their
// order: a reduction adds them as threads end, and so with other bits from run to run.
//   part_sums  one for each thread
template <typename Term>
double ordered_sum(std::span<double> part_sums, std::size_t count, const Term& term) {
  const std::size_t parts = part_sums.size();
  for_parts(static_cast<int>(parts), parts, [&](std::size_t begin, std::size_t end) {
    for (std::size_t part = begin; part < end; ++part) {
      double sum = 0.0;
      for (std::size_t i = count * part / parts; i < count * (part + 1) / parts; ++i) {
        sum += term(i);
      }
      part_sums[part] = sum;
    }
  });
  return std::accumulate(part_sums.begin(), part_sums.end(), 0.0);
}

// sums[begin, end) = the column sums that add(first, last, totals) adds to zeros at totals[0,
// last - first), for successive columns [first, last). Totals are Real<T>: a sum of many terms in
// 16 bits would round the later ones away.
template <typename T, typename Add>
void sum_columns_of(T* sums, std::size_t begin, std::size_t end, const Add& add) {
  if constexpr (std::is_same_v<T, device::Real<T>>) {
    std::fill(sums + begin, sums + end, T{0});
    add(begin, end, sums + begin);
  } else {
    constexpr std::size_t block = 512;
    for (std::size_t first = begin; first < end; first += block) {
      const std::size_t last = std::min(first + block, end);
      std::array<device::Real<T>, block> totals{};
      add(first, last, totals.data());
      std::transform(totals.begin(),
                     totals.begin() + static_cast<std::ptrdiff_t>(last - first),
                     sums + first,
                     [](device::Real<T> total) { return static_cast<T>(total); });
    }
  }
}

}  // namespace scalestudy::ops
