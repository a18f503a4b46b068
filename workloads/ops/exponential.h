// The exponential function inside vectorised loops.
#pragma once

#include <cmath>

#include "workloads/device/host_device.h"

#if defined(_OPENMP) && !defined(__CUDACC__) && !defined(__clang__)
// glibc has vector versions of these and declares them so only under -ffast-math.
#pragma omp declare simd notinbranch
extern "C" float expf(float) noexcept;
#pragma omp declare simd notinbranch
extern "C" double exp(double) noexcept;
#endif

namespace scalestudy::ops {

SCALESTUDY_HOST_DEVICE inline float exponential(float x) {
  return expf(x);
}
SCALESTUDY_HOST_DEVICE inline double exponential(double x) {
  return exp(x);
}

}  // namespace scalestudy::ops
