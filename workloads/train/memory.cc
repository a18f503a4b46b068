#include "workloads/train/memory.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>

#include "workloads/cuda/backend.h"
#include "workloads/model/make_model.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/train/dataset.h"

namespace scalestudy::train {
namespace {

template <typename T>
MemoryEstimate estimate(const Options& options) {
  using Real = device::Real<T>;
  const auto planning = device::make_planning_device();
  device::Arena arena(*planning);
  const auto ops = ops::make_cpu_ops<T>(options.threads);
  const auto model = model::make_model<T>(
      options.model, options.batch_per_device / options.accumulation_steps, *ops, arena);
  arena.seal();  // what operations share is taken then
  const std::size_t count = model->parameters().size();
  const bool has_master = !std::is_same_v<T, Real>;
  const std::size_t states =
      (options.optimizer == Optimizer::kAdamW ? 2U : 1U) + (has_master ? 1U : 0U);
  MemoryEstimate result;
  result.parameters = count * sizeof(T);
  result.gradients = count * (sizeof(T) + (options.accumulation_steps > 1 ? sizeof(Real) : 0));
  result.optimizer = count * sizeof(Real) * states +
                     (options.precision == Precision::kFp16 ? sizeof(ops::LossScale) : 0);
  result.activations = arena.bytes() - 2 * count * sizeof(T);
  result.data =
      Dataset<T>::bytes(options) + (options.warmup_steps + options.measured_steps) * sizeof(double);
  return result;
}

std::string format_bytes(std::size_t bytes) {
  constexpr std::array<const char*, 5> units = {"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000.0 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

// The number behind `key` in a file of "key number" lines; of the whole file when `key` is empty.
std::optional<std::size_t> read_number(const char* path, const std::string& key) {
  std::ifstream file(path);
  std::string word;
  while (key.empty() || file >> word) {
    std::size_t number = 0;
    if (key.empty() || word == key) {
      return file >> number ? std::optional(number) : std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace

MemoryEstimate estimate_memory(const Options& options) {
  switch (options.precision) {
    case Precision::kFp64:
      return estimate<double>(options);
    case Precision::kBf16:
      return estimate<device::Bf16>(options);
    case Precision::kFp16:
      return estimate<device::Half>(options);
    case Precision::kFp32:
    case Precision::kTf32:
      break;
  }
  return estimate<float>(options);
}

std::string format_memory(const MemoryEstimate& estimate) {
  return format_bytes(estimate.total()) + " a rank: parameters " +
         format_bytes(estimate.parameters) + ", gradients " + format_bytes(estimate.gradients) +
         ", optimizer " + format_bytes(estimate.optimizer) + ", activations " +
         format_bytes(estimate.activations) + ", data " + format_bytes(estimate.data);
}

std::optional<std::size_t> available_memory_bytes() {
  std::optional<std::size_t> available = read_number("/proc/meminfo", "MemAvailable:");
  if (available) {
    *available *= 1024;
  }
  const std::optional<std::size_t> limit = read_number("/sys/fs/cgroup/memory.max", "");
  const std::optional<std::size_t> used = read_number("/sys/fs/cgroup/memory.current", "");
  if (limit && used) {
    const std::size_t left = *limit > *used ? *limit - *used : 0;
    available = available ? std::min(*available, left) : left;
  }
  return available;
}

void check_memory(const Options& options, const rank::World& world) {
  std::optional<std::size_t> available;
  std::size_t sharers = 1;
  if (options.backend == Backend::kCpu) {
    available = available_memory_bytes();
    sharers = static_cast<std::size_t>(world.local_size());
  } else {
    cuda::Backend& cuda = cuda::load_backend();
    const int devices = cuda.device_count();
    available = cuda.facts(world.local_rank() % devices).memory_bytes;
    sharers = static_cast<std::size_t>((world.local_size() + devices - 1) / devices);
  }
  // Of every rank, and so read before any of them takes its own.
  const std::uint64_t least =
      world.min_max(available.value_or(std::numeric_limits<std::uint64_t>::max())).first;
  const MemoryEstimate estimate = estimate_memory(options);
  if (estimate.total() * sharers <= least) {
    return;
  }
  throw rank::WorkloadError(
      protocol::kExitOutOfMemory,
      "out of memory: " + model::describe(options.model) + " at batch " +
          std::to_string(options.batch_per_device) + " needs " + format_memory(estimate) + "; " +
          std::to_string(sharers) + " rank(s) share " + format_bytes(least) +
          "; use a smaller batch, more accumulation_steps or fewer model.layers");
}

}  // namespace scalestudy::train
