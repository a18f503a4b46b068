#include "workloads/train/memory/memory.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <system_error>
#include <vector>

#include "workloads/parameters/model_shapes.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/train/device/host_side.h"
#include "workloads/train/exchange/exchanges.h"
#include "workloads/train/input/dataset.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/layout/pipeline.h"
#include "workloads/train/layout/run_model.h"
#include "workloads/train/layout/stage_models.h"
#include "workloads/train/memory/available_memory.h"
#include "workloads/train/memory/file_systems.h"
#include "workloads/train/times/step_times.h"

namespace scalestudy::train {
namespace {

std::size_t moments_of(const Options& options) {
  return options.optimizer == Optimizer::kAdamW ? 2 : 1;
}

// Of so many elements that a rank updates.
template <typename T>
std::size_t optimizer_bytes(const Options& options, std::size_t updated) {
  using Real = device::Real<T>;
  const bool has_master = !std::is_same_v<T, Real>;
  const std::size_t states = moments_of(options) + (has_master ? 1U : 0U);
  return (options.is_offloaded ? 0 : updated * sizeof(Real) * states) +
         (options.precision == Precision::kFp16 ? sizeof(ops::LossScale) : 0) +
         (options.clip_norm > 0.0 || sums_squares(options) ? sizeof(double) : 0);
}

template <typename T>
std::size_t data_bytes(const Options& options) {
  return Dataset<T>::bytes(options) + options.most_steps() * sizeof(double) +
         (options.held_out_samples > 0 ? Dataset<T>::bytes(held_out_options(options)) : 0);
}

template <typename T>
Memory estimate_stage(const Options& options) {
  const auto planning = device::make_planning_device();
  device::Arena arena(*planning);
  const auto ops = ops::make_cpu_ops<T>(options.threads, options.backend == Backend::kCuda);
  const StageModels<T> one(options, *ops, arena, 1);  // many take long to make
  const std::size_t own = one.parameters().size_bytes();
  const std::size_t copy_bytes = arena.bytes() - 2 * own - one.buffer_bytes();
  const std::size_t before_scratch = arena.bytes();
  arena.seal();  // what operations share, of all copies
  const std::size_t copies = copies_of(options, options.pipeline.stage);
  const std::size_t accumulated =
      options.accumulation_steps > 1 ? own / sizeof(T) * sizeof(device::Real<T>) : 0;
  return {.parameters = own,
          .gradients = own + accumulated,
          .optimizer = optimizer_bytes<T>(options, own / sizeof(T)),
          .activations = copies * copy_bytes + arena.bytes() - before_scratch,
          .buffers = buffer_elements(options, options.pipeline.stage, copies) * sizeof(T),
          .data = data_bytes<T>(options),
          .host = (options.is_offloaded ? host_side_bytes<T>(own / sizeof(T), moments_of(options))
                                        : 0) +
                  Dataset<T>::host_bytes(options)};
}

template <typename T>
Memory estimate(const Options& options) {
  using Real = device::Real<T>;
  if (options.pipeline.is_on()) {
    return estimate_stage<T>(options);
  }
  const auto planning = device::make_planning_device();
  device::Arena arena(*planning);
  const auto ops = ops::make_cpu_ops<T>(options.threads, options.backend == Backend::kCuda);
  const auto model = make_run_model<T>(options, *ops, arena);
  const std::size_t model_bytes = arena.bytes();
  const std::vector<sync::Bucket> buckets = make_buckets(options, model->units());
  const auto exchange = make_exchange<T>(options);
  exchange->take(0, *ops, arena, model->gradients(), buckets);
  const std::size_t travelling_bytes = arena.bytes() - model_bytes;
  arena.seal();  // what operations share is taken then
  const std::size_t count = model->element_count();
  const std::size_t updated = count / (options.sharding == Sharding::kNone ? 1 : options.ranks());
  const std::size_t activation_bytes = arena.bytes() - travelling_bytes -
                                       model->parameters().size_bytes() -
                                       model->gradients().size_bytes();
  const auto places_bytes = [&](std::size_t turns) {
    device::Arena places(*planning);
    take_places<T>(places, sharded_units(options, model->units()), turns);
    return places.bytes();
  };
  Memory result;
  result.parameters = (options.sharding == Sharding::kAll ? updated : count) * sizeof(T);
  result.gradients = (model->gradients().empty() ? updated : count) * sizeof(T) +
                     (options.accumulation_steps > 1 ? count * sizeof(Real) : 0);
  result.host = (options.is_offloaded ? host_side_bytes<T>(updated, moments_of(options)) : 0) +
                Dataset<T>::host_bytes(options);
  result.optimizer = optimizer_bytes<T>(options, updated);
  result.buffers = travelling_bytes;
  if (options.sharding == Sharding::kAll) {
    result.buffers += places_bytes(parameter_turns(options));
  }
  if (model->gradients().empty()) {
    result.buffers += places_bytes(gradient_turns(options));
  }
  result.activations = activation_bytes;
  result.data = data_bytes<T>(options);
  return result;
}

// Of a checkpoint, without the times of steps.
std::size_t state_bytes(const Options& options) {
  if (options.pipeline.is_on()) {
    std::size_t bytes = 0;
    for (std::size_t stage = 0; stage < options.pipeline.stages; ++stage) {
      const Memory own = estimate_memory(for_rank(options, stage));
      bytes += own.parameters + own.optimizer;
    }
    return bytes;
  }
  const Memory own = estimate_memory(options);
  const bool has_all =
      options.sharding == Sharding::kOptimizer || options.sharding == Sharding::kGradients;
  const std::size_t updated = own.parameters / (has_all ? options.ranks() : 1);
  return (is_replicated(options) ? 1 : options.ranks()) * (updated + own.optimizer);
}

}  // namespace

std::string format_bytes(std::size_t bytes) {
  constexpr std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1024.0 && unit + 1 < units.size()) {
    value /= 1024.0;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text.data();
}

namespace {

// Whether the model has a parameter model.layers that can be less: each layer has tensors.
bool has_fewer_layers(const model::ModelSpec& spec) {
  return protocol::check_model_shape(spec.name, {{"model.layers", "1"}}).empty() &&
         model::tensor_shapes(spec).size() >
             model::tensor_shapes(model::find_model(spec.name, {{"layers", 1}})).size();
}

// What of the run would take less: "a smaller batch, more accumulation_steps or fewer
// model.layers".
std::string less_of(const Options& options) {
  std::vector<std::string> ways;
  if (options.batch_per_device > 1) {
    ways.emplace_back("a smaller batch");
  }
  if (options.batch_per_device > options.accumulation_steps) {
    ways.emplace_back("more accumulation_steps");
  }
  if (has_fewer_layers(options.model)) {
    ways.emplace_back("fewer model.layers");
  }
  std::string text = ways.empty() ? "a smaller model" : ways.front();
  for (std::size_t i = 1; i < ways.size(); ++i) {
    text += (i + 1 < ways.size() ? ", " : " or ") + ways[i];
  }
  return text;
}

std::string out_of_memory(const Options& options, const std::string& found) {
  return "out of memory: " + model::describe(options.model) + " at batch " +
         std::to_string(options.batch_per_device) + " needs " +
         format_memory(estimate_memory(options)) + "; " + found + "; use " + less_of(options);
}

}  // namespace

std::size_t most_host_bytes(const Options& options) {
  std::size_t most = estimate_memory(of_largest_rank(options)).host;
  for (std::size_t stage = 0; stage < options.pipeline.stages; ++stage) {
    most = std::max(most, estimate_memory(for_rank(options, stage)).host);
  }
  return most;
}

std::size_t pinned_bytes(const Options& options, std::size_t ranks) {
  if (!options.pipeline.is_on() || ranks < options.pipeline.stages) {
    return most_host_bytes(options) * ranks;
  }
  std::size_t bytes = 0;
  for (std::size_t stage = 0; stage < options.pipeline.stages; ++stage) {
    bytes += estimate_memory(for_rank(options, stage)).host;
  }
  return bytes;
}

Memory estimate_memory(const Options& options) {
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

std::size_t largest_stage(const Options& options) {
  std::size_t largest = 0;
  std::size_t most_bytes = 0;
  for (std::size_t stage = 0; stage < options.pipeline.stages; ++stage) {
    const std::size_t bytes = estimate_memory(for_rank(options, stage)).total();
    if (bytes > most_bytes) {
      most_bytes = bytes;
      largest = stage;
    }
  }
  return largest;
}

Options of_largest_rank(const Options& options) {
  if (options.pipeline.is_on()) {
    return for_rank(options, largest_stage(options));
  }
  const auto largest = std::ranges::max_element(options.weights);
  return for_rank(options, static_cast<std::size_t>(largest - options.weights.begin()));
}

std::size_t checkpoint_memory_bytes(const Options& options) {
  std::error_code ignored;
  const std::filesystem::path given = options.saves.folder;
  const std::filesystem::path folder =
      given.empty() ? std::filesystem::temp_directory_path(ignored) : given;
  if (options.saves.every == 0 || !is_in_memory(folder)) {
    return 0;
  }
  // fsdp gathers a unit twice and scatters its gradients; norms of parts are summed besides.
  const std::size_t collectives = options.has_phases && !options.pipeline.is_on()
                                      ? 1 + 3 * make_buckets(options, plan_units(options)).size()
                                      : 0;
  const std::size_t row = kFieldCount + 1 + collectives;  // of a step (checkpoints.h)
  return 2 * state_bytes(options) + options.ranks() * options.most_steps() * row * sizeof(double);
}

std::string format_memory(const Memory& estimate) {
  return format_bytes(estimate.total()) + " a rank: parameters " +
         format_bytes(estimate.parameters) + ", gradients " + format_bytes(estimate.gradients) +
         ", optimizer " + format_bytes(estimate.optimizer) + ", activations " +
         format_bytes(estimate.activations) + ", buffers " + format_bytes(estimate.buffers) +
         ", data " + format_bytes(estimate.data) +
         (estimate.host > 0 ? "; in host memory " + format_bytes(estimate.host) : "");
}

std::map<std::string, std::size_t> parts_of(const Memory& memory) {
  return {{"parameters", memory.parameters},
          {"gradients", memory.gradients},
          {"optimizer", memory.optimizer},
          {"activations", memory.activations},
          {"buffers", memory.buffers},
          {"data", memory.data}};
}

void check_memory(const Options& options, const rank::World& world) {
  if (options.device_memory_bytes &&
      static_cast<double>(estimate_memory(options).total()) > *options.device_memory_bytes) {
    throw rank::WorkloadError(
        protocol::kExitOutOfMemory,
        out_of_memory(options,
                      "a device has " +
                          format_bytes(static_cast<std::size_t>(*options.device_memory_bytes)) +
                          " (device_memory_gb)"));
  }
  const auto sharers = static_cast<std::size_t>(world.local_size());
  // Of every rank, and so read before any of them takes its own.
  const std::uint64_t least =
      world.min_max(available_memory_bytes().value_or(std::numeric_limits<std::uint64_t>::max()))
          .first;
  const std::size_t saved = checkpoint_memory_bytes(options);
  const std::string found = std::to_string(sharers) + " rank(s) share " + format_bytes(least);
  const std::string saves =
      saved > 0 ? ", with " + format_bytes(saved) + " of checkpoints in memory" : "";
  if (options.backend == Backend::kCuda) {
    const std::size_t pinned = pinned_bytes(options, sharers);
    if (pinned + saved > least) {
      throw rank::WorkloadError(
          protocol::kExitOutOfMemory,
          out_of_memory(
              options,
              found + " of the host's memory" + saves +
                  (pinned > 0 ? ", of which they would pin " + format_bytes(pinned) : "") +
                  (options.is_offloaded ? "; use fewer ranks, or no offload" : "")));
    }
    return;
  }
  if (estimate_memory(options).total() * sharers + saved > least) {
    throw rank::WorkloadError(protocol::kExitOutOfMemory, out_of_memory(options, found + saves));
  }
}

void throw_device_full(const Options& options) {
  throw rank::WorkloadError(
      protocol::kExitOutOfMemory,
      out_of_memory(options,
                    "the device had no room left (a GPU's libraries take more than this)"));
}

}  // namespace scalestudy::train
