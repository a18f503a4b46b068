// Makes the strategy by which the ranks of a step share a model.
#pragma once

#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "workloads/model/model.h"
#include "workloads/sync/ddp.h"
#include "workloads/sync/local_sgd.h"
#include "workloads/sync/power_sgd.h"
#include "workloads/sync/sharded.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// What a strategy works on; all of it outlives the strategy.
template <typename T>
struct Trained {
  device::Device& device;
  device::Arena& arena;
  model::Model<T>& model;
  std::span<T> parameters;  // all, or the rank's share
  std::span<T> gradients;   // all, or the rank's share
  const std::vector<sync::Bucket>& buckets;
  sync::Wire* wire;            // nullptr where gradients travel as they are
  sync::LowRank<T>* low_rank;  // nullptr without powersgd
};

template <typename T>
comm::Buffer buffer_of(std::span<T> values) {
  return {values.data(), values.size(), device::kDataType<T>};
}

// Whether the strategy works unit by unit of the model.
inline bool has_units(const Options& options) {
  return options.sharding == Sharding::kGradients || options.sharding == Sharding::kAll;
}

template <typename T>
std::unique_ptr<sync::Strategy> make_sharded(const Options& options,
                                             const sync::Links& links,
                                             const Trained<T>& trained,
                                             std::size_t ready_calls) {
  model::Model<T>& model = trained.model;
  const std::vector<sync::ShardedUnit> units = sharded_units(options, model.units());
  sync::ShardedMemory memory{.parameters = buffer_of(trained.parameters),
                             .gradients = buffer_of(trained.gradients)};
  if (options.sharding == Sharding::kAll) {
    memory.parameter_places = take_places<T>(trained.arena, units, parameter_turns(options));
  }
  memory.gradient_places = take_places<T>(trained.arena, units, gradient_turns(options));
  auto strategy = std::make_unique<sync::ShardedSync>(
      links,
      trained.device,
      units,
      std::move(memory),
      ready_calls,
      [&model](std::size_t unit, void* parameters, void* gradients) {
        model.bind(unit, static_cast<T*>(parameters), static_cast<T*>(gradients));
      });
  sync::ShardedSync& told = *strategy;
  model.set_hooks({.before_forward = [&told](std::size_t unit) { told.before_forward(unit); },
                   .before_backward = [&told](std::size_t unit) { told.before_backward(unit); }});
  return strategy;
}

// Makes the strategy that the options name.
// - averaged: the values that local_sgd averages after updates.
template <typename T>
std::unique_ptr<sync::Strategy> make_strategy(const Options& options,
                                              const sync::Links& links,
                                              const Trained<T>& trained,
                                              sync::Averaged averaged) {
  if (options.sync_every > 0) {
    if (options.transport == Transport::kNoop || options.payload == sync::Payload::kElement) {
      // The controls sum nothing, or one number of what the next step writes anew.
      averaged = {[gradients = trained.gradients] { return buffer_of(gradients); }, [] {}};
    }
    return std::make_unique<sync::LocalSgdSync>(
        links, trained.parameters.size(), options.sync_every, std::move(averaged));
  }
  if constexpr (std::is_same_v<T, device::Real<T>>) {
    if (trained.low_rank != nullptr) {
      return std::make_unique<sync::PowerSgdSync<T>>(
          links, *trained.low_rank, trained.gradients.size());
    }
  }
  const std::size_t ready_calls = model::tensor_elements(options.model).size();
  if (has_units(options)) {
    return make_sharded(options, links, trained, ready_calls);
  }
  const comm::Buffer parameters = buffer_of(trained.parameters);
  return std::make_unique<sync::DdpSync>(
      links,
      buffer_of(trained.gradients),
      trained.buckets,
      ready_calls,
      trained.wire,
      options.sharding == Sharding::kNone ? nullptr : &parameters);
}

}  // namespace scalestudy::train
