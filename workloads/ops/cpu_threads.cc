#include "workloads/ops/ops.h"
#include "workloads/rank/denormals.h"

namespace scalestudy::ops {

bool cpu_threads_flush_denormals(int threads) {
  bool all_flush = true;
#pragma omp parallel num_threads(threads) reduction(&& : all_flush)
  all_flush = rank::flushes_denormals();
  return all_flush;
}

}  // namespace scalestudy::ops
