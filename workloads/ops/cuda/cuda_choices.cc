#include "workloads/ops/cuda/cuda_choices.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

#include "workloads/device/cuda_check.h"

namespace scalestudy::ops {

CudaChoices::CudaChoices(cudaStream_t stream, const CudaOptions& options)
    : stream_(stream), is_timed_(options.has_timed_algorithms), from_root_(options.from_root) {}

std::size_t CudaChoices::choose(const std::string& problem,
                                std::size_t count,
                                const std::function<void(std::size_t)>& run) {
  if (const auto known = chosen_.find(problem); known != chosen_.end()) {
    return known->second;
  }
  struct Decision {
    std::size_t candidate;
    std::size_t count;
  };
  Decision decision{is_timed_ && count > 1 ? fastest(count, run) : 0, count};
  if (from_root_) {
    from_root_(std::as_writable_bytes(std::span(&decision, 1)));
  }
  if (decision.count != count) {
    device::throw_cuda("choice of an algorithm",
                       __FILE__,
                       __LINE__,
                       problem + " has " + std::to_string(decision.count) +
                           " algorithms on rank 0 and " + std::to_string(count) +
                           " here: the ranks' GPUs or libraries differ");
  }
  chosen_.emplace(problem, decision.candidate);
  return decision.candidate;
}

std::string CudaChoices::notes() const {
  std::string all;
  for (const auto& [problem, algorithm] : notes_) {
    all += all.empty() ? "" : "; ";
    all.append(problem).append(": ").append(algorithm);
  }
  return all;
}

// Rounds over all candidates, so that a clock that rises meanwhile favours none.
std::size_t CudaChoices::fastest(std::size_t count,
                                 const std::function<void(std::size_t)>& run) const {
  constexpr int rounds = 3;
  std::vector<double> least_s(count, std::numeric_limits<double>::infinity());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t candidate = 0; candidate < count; ++candidate) {
      least_s[candidate] = std::min(least_s[candidate], run_time_s([&] { run(candidate); }));
    }
  }
  return static_cast<std::size_t>(std::min_element(least_s.begin(), least_s.end()) -
                                  least_s.begin());
}

double CudaChoices::run_time_s(const std::function<void()>& run) const {
  constexpr int runs = 3;
  const device::CudaEvent begin;
  const device::CudaEvent end;
  run();  // its kernels are loaded, its operands in cache as in the runs behind it
  CUDA_CHECK(cudaEventRecord(begin.get(), stream_));
  for (int i = 0; i < runs; ++i) {
    run();
  }
  CUDA_CHECK(cudaEventRecord(end.get(), stream_));
  CUDA_CHECK(cudaEventSynchronize(end.get()));
  float elapsed_ms = 0.0F;
  CUDA_CHECK(cudaEventElapsedTime(&elapsed_ms, begin.get(), end.get()));
  return static_cast<double>(elapsed_ms) * 1e-3 / runs;
}

}  // namespace scalestudy::ops
