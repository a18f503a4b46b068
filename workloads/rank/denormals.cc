#include "workloads/rank/denormals.h"

#include <limits>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace scalestudy::rank {
namespace {

template <typename Real>
Real product(Real a, Real b) {
  volatile Real factor = a;  // multiplied here and now, not by the compiler
  return factor * b;
}

template <typename Real>
bool flushes() {
  using Limits = std::numeric_limits<Real>;
  const bool writes_zero = product(Limits::min(), Real{0.5}) == Real{0};
  const bool reads_zero = product(Limits::denorm_min(), Limits::max()) == Real{0};
  return writes_zero && reads_zero;
}

}  // namespace

void flush_denormals() {
#if defined(__x86_64__)
  constexpr unsigned int flush_to_zero = 0x8000;
  constexpr unsigned int denormals_are_zero = 0x0040;
  _mm_setcsr(_mm_getcsr() | flush_to_zero | denormals_are_zero);
#elif defined(__aarch64__)
  unsigned long long control = 0;
  asm volatile("mrs %0, fpcr" : "=r"(control));
  asm volatile("msr fpcr, %0" : : "r"(control | (1ULL << 24U)));
#endif
}

bool flushes_denormals() {
  return flushes<float>() && flushes<double>();
}

}  // namespace scalestudy::rank
