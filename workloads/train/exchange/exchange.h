// How the ranks of one strategy exchange: the bytes that travel, the memory these take, and the
// strategy that moves them.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "workloads/device/interface.h"
#include "workloads/model/model.h"
#include "workloads/sync/ddp.h"
#include "workloads/sync/local_sgd.h"
#include "workloads/sync/rounded_wire.h"
#include "workloads/sync/sharded.h"
#include "workloads/sync/top_k_wire.h"
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
  sync::Averaged updated;  // the values that the optimizer updates: parameters, or fp32 masters
};

// Whether the strategy works unit by unit of the model.
inline bool has_units(const Options& options) {
  return options.sharding == Sharding::kGradients || options.sharding == Sharding::kAll;
}

template <typename T>
comm::Buffer buffer_of(std::span<T> values) {
  return {values.data(), values.size(), device::kDataType<T>};
}

// Bytes of all buckets in the type, or in part, that travels for their gradients.
std::size_t gradient_wire_bytes(const Options& options, std::span<const sync::Bucket> buckets);

// Gradients are summed in buckets, by every strategy that has no class of its own: ddp,
// ddp_serial, zero1, zero2 and fsdp.
template <typename T>
class Exchange : public device::Interface {
 public:
  // - options: outlive this.
  explicit Exchange(const Options& options) : options_(options) {}

  // Bytes that each rank hands over to be summed in a step, on the mean over steps.
  virtual std::size_t wire_bytes(std::span<const sync::Bucket> buckets) const {
    return gradient_wire_bytes(options_, buckets);
  }

  // The most bytes that are staged at once if the host sends: a bucket, and a rank's share of it.
  virtual std::size_t staging_bytes(std::span<const sync::Bucket> buckets) const {
    const std::size_t own = sync::largest_bytes(buckets);
    if (has_top_k(options_)) {  // what all gather, and the rank's own of it
      return (options_.ranks() + 1) * sync::top_k_bytes(options_.top_k, own / sizeof(T), sizeof(T));
    }
    const std::size_t travels = has_other_wire<T>(options_)
                                    ? own / sizeof(T) * device::size_bytes(*options_.wire_type)
                                    : own;
    const std::size_t bytes = std::max(own, travels);
    return options_.sharding == Sharding::kNone ? travels : bytes + bytes / options_.ranks();
  }

  // Takes the memory in which gradients travel, if they do not travel unchanged. All arguments
  // outlive this.
  // - gradients: all of the model's.
  virtual void take(std::size_t rank,
                    ops::Ops<T>& ops,
                    device::Arena& arena,
                    std::span<T> gradients,
                    const std::vector<sync::Bucket>& buckets) {
    if (has_top_k(options_)) {
      wire_ = std::make_unique<sync::TopKWire<T>>(
          ops, arena, gradients, buckets, options_.top_k, rank, options_.ranks());
    } else if (has_other_wire<T>(options_)) {
      wire_ = std::make_unique<sync::RoundedWire<T>>(
          ops, arena, gradients, buckets, *options_.wire_type);
    }
  }

  // Makes the strategy. Call take() before.
  virtual std::unique_ptr<sync::Strategy> make(const sync::Links& links,
                                               const Trained<T>& trained) {
    const std::size_t ready_calls = model::tensor_elements(options_.model).size();
    if (has_units(options_)) {
      return make_sharded(links, trained, ready_calls);
    }
    const comm::Buffer parameters = buffer_of(trained.parameters);
    return std::make_unique<sync::DdpSync>(
        links,
        buffer_of(trained.gradients),
        trained.buckets,
        ready_calls,
        wire_.get(),
        options_.sharding == Sharding::kNone ? nullptr : &parameters);
  }

  // Runs what a step would and forgets what it left, so that nothing is chosen or loaded in the
  // first step.
  virtual void rehearse(sync::Strategy& /*strategy*/) {}

 protected:
  const Options& options() const { return options_; }

 private:
  std::unique_ptr<sync::Strategy> make_sharded(const sync::Links& links,
                                               const Trained<T>& trained,
                                               std::size_t ready_calls) const {
    model::Model<T>& model = trained.model;
    const std::vector<sync::ShardedUnit> units = sharded_units(options_, model.units());
    sync::ShardedMemory memory{.parameters = buffer_of(trained.parameters),
                               .gradients = buffer_of(trained.gradients)};
    if (options_.sharding == Sharding::kAll) {
      memory.parameter_places = take_places<T>(trained.arena, units, parameter_turns(options_));
    }
    memory.gradient_places = take_places<T>(trained.arena, units, gradient_turns(options_));
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

  const Options& options_;
  std::unique_ptr<sync::Wire> wire_;  // nullptr where gradients travel as they are
};

}  // namespace scalestudy::train
