// Which of a library's algorithms an operation runs: decided once, on rank 0, for all ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "workloads/device/cuda_device.h"
#include "workloads/ops/cuda/cuda_ops.h"

namespace scalestudy::ops {

// One thread uses it. Every rank asks for the same problems in the same order.
class CudaChoices {
 public:
  CudaChoices(cudaStream_t stream, const CudaOptions& options);

  // The candidate to run: the fastest where algorithms are timed, else the first, which the library
  // expects to be. The same problem gets the same answer without asking again.
  //
  //   problem  what is computed, "matmul 64x64x799 ...".
  //   count    of candidates, >= 1.
  //   run      queues a candidate, on operands that may be overwritten with the same result again.
  //   throws   WorkloadError (failed) where rank 0 has another number of candidates.
  std::size_t choose(const std::string& problem,
                     std::size_t count,
                     const std::function<void(std::size_t)>& run);

  // For the record of the run: what `problem` is computed with, "id 21, tf32".
  void note(const std::string& problem, const std::string& algorithm) {
    notes_.insert_or_assign(problem, algorithm);
  }
  // "problem: algorithm; ..." of all that was noted.
  std::string notes() const;

 private:
  std::size_t fastest(std::size_t count, const std::function<void(std::size_t)>& run) const;
  double run_time_s(const std::function<void()>& run) const;

  cudaStream_t stream_;
  bool is_timed_;
  std::function<void(std::span<std::byte>)> from_root_;
  std::map<std::string, std::size_t> chosen_;
  std::map<std::string, std::string> notes_;
};

}  // namespace scalestudy::ops
