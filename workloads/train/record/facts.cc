#include "workloads/train/record/facts.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "workloads/names/names.h"
#include "workloads/ops/cpu/cpu_threads.h"
#include "workloads/train/device/backend.h"
#include "workloads/train/exchange/exchanges.h"
#include "workloads/train/layout/declared_times.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/layout/pipeline_facts.h"
#include "workloads/train/memory/available_memory.h"
#include "workloads/train/memory/largest_model.h"
#include "workloads/train/memory/memory.h"
#include "workloads/train/step/evaluation.h"

namespace scalestudy::train {
namespace {

// Cores that each thread beside those that compute has to itself; two of these take turns on one.
// Of ranks that sleep every core is free, and a stage of a pipeline that reads nothing has no
// thread.
std::map<std::string, double> thread_cores(const Options& options, const rank::World& world) {
  std::vector<std::string> names;
  if (options.has_comm_thread && !options.declared &&
      (options.transport == Transport::kMpi || options.transport == Transport::kShm)) {
    names.emplace_back("communication_thread_cores");
  }
  if (options.data_file && options.data_file->prefetch > 0) {
    names.emplace_back("data_thread_cores");
  }
  if (names.empty()) {
    return {};
  }
  const bool has_thread =
      parts_read(for_rank(options, static_cast<std::size_t>(world.rank()))).are_any();
  const std::uint64_t beside = has_thread ? ops::cores_beside(options.threads, world.cores()).size()
                                          : std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t cores = world.min_max(beside).first;
  std::map<std::string, double> numbers;
  for (const std::string& name : names) {
    numbers[name] = static_cast<double>(cores - std::min<std::uint64_t>(cores, names.size() - 1));
  }
  return numbers;
}

// What travels, and how it is cut.
std::map<std::string, double> traffic_facts(const Options& options,
                                            const Trainer& trainer,
                                            const rank::World& world) {
  if (options.pipeline.is_on()) {
    return pipeline_facts(options);
  }
  std::map<std::string, double> numbers = {
      {"gradient_bytes", static_cast<double>(trainer.gradient_bytes())},
      {names::kWireBytes, static_cast<double>(trainer.wire_bytes())},
      {names::kBucketCount, static_cast<double>(trainer.buckets().size())},
      {names::kTailBucketBytes, static_cast<double>(trainer.buckets().back().size_bytes)}};
  if (options.transport != Transport::kNoop && options.payload == sync::Payload::kBuckets) {
    numbers[names::kTrafficBytes] = static_cast<double>(trainer.traffic_bytes());
    if (options.node_ranks) {
      const auto machine = static_cast<std::size_t>(world.local_size());
      const std::size_t node = *options.node_ranks > 0 ? *options.node_ranks : machine;
      numbers["node_traffic_bytes"] = static_cast<double>(node_traffic_bytes(options, node));
    }
  }
  return numbers;
}

struct LargestRank {
  std::uint64_t rank = 0;
  std::uint64_t bytes = 0;
};

// The one that took the most of its device; of equal ones the first. Collective.
LargestRank largest_rank(const Trainer& trainer, const rank::World& world) {
  const auto size = static_cast<std::uint64_t>(world.size());
  const auto rank = static_cast<std::uint64_t>(world.rank());
  const std::uint64_t most =
      world.min_max(trainer.memory().total() * size + (size - 1 - rank)).second;
  return {size - 1 - most % size, most / size};
}

// Taken and calculated, of the rank that takes the most, on rank 0.
std::map<std::string, double> memory_facts(const Options& options,
                                           const Trainer& trainer,
                                           const rank::World& world) {
  const auto rank = static_cast<std::uint64_t>(world.rank());
  const auto [largest, most] = largest_rank(trainer, world);
  std::map<std::string, double> numbers = {{names::kPeakBytes, static_cast<double>(most)}};
  if (const auto bytes = device_memory_bytes(options); bytes && !options.declared) {
    numbers["device_memory_bytes"] = *bytes;  // what an emulated device takes says nothing about it
  }
  const Memory calculated = estimate_memory(for_rank(options, static_cast<std::size_t>(largest)));
  for (const auto& [part, bytes] : parts_of(calculated)) {
    numbers["calculated_" + part + "_bytes"] = static_cast<double>(bytes);
  }
  for (const auto& [part, bytes] : parts_of(trainer.memory())) {
    const std::uint64_t own = rank == largest ? bytes : 0;
    numbers["memory_" + part + "_bytes"] = static_cast<double>(world.min_max(own).second);
  }
  return numbers;
}

}  // namespace

std::map<std::string, double> start_facts(const Options& options,
                                          const Trainer& trainer,
                                          const rank::World& world) {
  // Ranks that sleep need no core; all of them ask.
  const bool is_crowded =
      (world.is_oversubscribed({options.threads, ops::cores_of_threads(options.threads)}) ||
       shares_device(options, world)) &&
      !options.declared;
  const auto denormals_flushed =
      world.min_max(ops::cpu_threads_flush_denormals(options.threads) ? 1 : 0);
  const std::size_t batch_per_device = options.batch_global / options.ranks();  // without remainder
  std::map<std::string, double> numbers = {
      {names::kParameterCount, static_cast<double>(model::parameter_count(options.model))},
      {names::kFlopPerSample, model::flop_per_sample(options.model)},
      {"threads", static_cast<double>(options.threads)},
      {"affinity_cores", static_cast<double>(world.affinity_cores())},
      {"node_count", static_cast<double>(world.node_count())},
      {names::kBatchGlobal, static_cast<double>(options.batch_global)},
      {names::kBatchPerDevice, static_cast<double>(batch_per_device)},
      {"denormals_flushed", denormals_flushed.first == 0 ? 0.0 : 1.0},
      {names::kOversubscribed, is_crowded ? 1.0 : 0.0},
  };
  numbers.merge(traffic_facts(options, trainer, world));
  numbers.merge(memory_facts(options, trainer, world));
  if (options.backend == Backend::kCpu && options.wire_type &&
      device::size_bytes(*options.wire_type) == 2 && element_bytes(options.precision) > 2) {
    numbers["software_type"] = 1.0;  // converted by float16.h
  }
  if (options.declared) {
    numbers["emulated"] = 1.0;
    numbers["declared_computation_s"] = longest_declared_s(options);
  }
  const model::SampleShape sample = model::sample_shape(options.model);
  if (sample.is_tokens) {
    numbers["tokens_per_sample"] = static_cast<double>(sample.input_width);
  }
  if (const FileInput* input = trainer.input(); input != nullptr) {
    numbers["data_file_bytes"] = static_cast<double>(input->bytes());
  }
  numbers.merge(thread_cores(options, world));
  if (options.is_offloaded) {
    numbers["offload_bytes"] = static_cast<double>(trainer.offload_bytes());
  }
  if (trainer.memory().host > 0) {
    numbers["host_memory_bytes"] = static_cast<double>(trainer.memory().host);
  }
  if (options.has_own_seed) {
    numbers["seed"] = static_cast<double>(options.seed);
  }
  numbers.merge(accuracy_facts(options));
  return numbers;
}

std::map<std::string, double> largest_model_facts(const Texts& texts,
                                                  const Options& options,
                                                  const rank::World& world) {
  const bool is_told = world.rank() == 0 && !options.declared;
  const auto bytes = is_told ? device_memory_bytes(options) : std::nullopt;
  const auto largest = bytes ? largest_model(texts, world.size(), *bytes) : std::nullopt;
  return largest ? std::map<std::string, double>{{"largest_layers",
                                                  static_cast<double>(largest->layers)},
                                                 {"largest_parameter_count",
                                                  static_cast<double>(largest->parameters)}}
                 : std::map<std::string, double>();
}

std::map<std::string, double> driver_facts(const Options& options,
                                           const Trainer& trainer,
                                           const rank::World& world) {
  const std::optional<cuda::HeldMemory> own = held_memory(options, world);
  const bool is_shared = shares_device(options, world);
  const LargestRank largest = largest_rank(trainer, world);
  // Less than was taken is not of this process, or something else was freed meanwhile.
  const bool is_known = largest.rank == static_cast<std::uint64_t>(world.rank()) && own &&
                        own->bytes >= largest.bytes && (own->is_of_process || !is_shared);
  const std::uint64_t bytes = world.min_max(is_known ? own->bytes : 0).second;
  const std::uint64_t is_of_process = world.min_max(is_known && own->is_of_process ? 1 : 0).second;
  if (bytes == 0) {
    return {};
  }
  return {{"driver_memory_bytes", static_cast<double>(bytes)},
          {"driver_memory_of_process", static_cast<double>(is_of_process)}};
}

}  // namespace scalestudy::train
