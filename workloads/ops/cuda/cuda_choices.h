// Decides which of a library's algorithms an operation runs: once, on rank 0, for all ranks.
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

  // The index of the candidate to run: the fastest if algorithms are timed, else the first, which
  // the library expects to be the fastest. The same problem gets the same answer at once.
  //
  //   problem  what is computed, "matmul 64x64x799 ...".
  //   count    of candidates, >= 1.
  //   run      queues a candidate, on operands that may be overwritten with the same result again.
  //   throws   WorkloadError (failed) when rank 0 has another number of candidates.
  std::size_t choose(const std::string& problem,
                     std::size_t count,
                     const std::function<void(std::size_t)>& run);

  // Notes the algorithm that computes `problem`, "id 21, tf32", for the record of the run.
  void note(const std::string& problem, const std::string& algorithm) {
    notes_.insert_or_assign(problem, algorithm);
  }
  // All notes, as "problem: algorithm; ...".
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
