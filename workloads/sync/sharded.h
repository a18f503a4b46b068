// ZeRO-2 and fully sharded data parallel (ZeRO-3): gradients, and then parameters too, of one unit
// of the model after another are whole only while it computes.
#pragma once

#include <functional>
#include <vector>

#include "workloads/sync/exchanges.h"
#include "workloads/sync/strategy.h"

namespace scalestudy::sync {

// Elements of a unit in the order gradients become ready; a multiple of the ranks' number.
struct ShardedUnit {
  std::size_t offset;
  std::size_t count;
  bool is_kept;  // has places of its own, and is gathered once a step; others take turns
};

// Device memory of a sharded model, of one type.
struct ShardedMemory {
  comm::Buffer parameters;  // fsdp: the rank's shares, unit after unit; zero2: all of the model
  comm::Buffer gradients;   // the rank's shares
  // Where units are whole: those of kept units in order, then those that others take in turn.
  std::vector<void*> parameter_places{};  // none: zero2
  std::vector<void*> gradient_places{};
};

class ShardedSync final : public Strategy {
 public:
  // A unit is about to compute in those places. zero2: in its place of `parameters`.
  using Bind = std::function<void(std::size_t unit, void* parameters, void* gradients)>;

  // ready_calls  of on_gradients_ready() in a step, at most.
  // links, memory and device outlive this.
  ShardedSync(const Links& links,
              device::Device& device,
              std::vector<ShardedUnit> units,
              ShardedMemory memory,
              std::size_t ready_calls,
              Bind bind);

  std::size_t collective_count() const override;
  std::size_t wait_limit() const override { return wait_limit_; }
  const std::vector<Part>& parts() const override { return parts_; }

  void begin(CommunicationMarks* marks) override;
  // A unit is about to compute, once a step each: in the reverse order of units, then in order but
  // for those that are kept, which come when they are first needed.
  void before_forward(std::size_t unit);
  void before_backward(std::size_t unit);
  void on_gradients_ready(std::size_t elements) override;
  void finish() override;
  void sum_of_parts(const comm::Buffer& number) override;
  void on_updated(std::size_t part) override;
  void end() override;

 private:
  // All parameters of a unit to a place, in the order of a step: forward, and of units that are not
  // kept backward again.
  struct Gather {
    std::size_t unit;
    std::size_t place;
  };

  bool is_fsdp() const { return !memory_.parameter_places.empty(); }
  void plan_gathers();
  void plan_parts();
  // Starts what may be started of the gathers and waits for the next one; returns its place.
  void* gather_next(Within phase);
  // Returns a place that no sum is taken from any more.
  void* next_gradient_place(std::size_t unit);
  comm::Buffer whole_of(std::size_t unit, void* place) const;
  void* share_of(std::size_t unit, const comm::Buffer& shares) const;
  // The unit's place in all parameters; zero2.
  void* place_of(std::size_t unit) const;

  Exchanges exchanges_;
  Links links_;
  device::Device& device_;
  std::vector<ShardedUnit> units_;
  ShardedMemory memory_;
  std::size_t wait_limit_;
  Bind bind_;
  std::vector<Part> parts_;
  std::vector<Gather> gathers_;
  std::vector<std::size_t> own_places_;  // of each unit that is kept
  std::size_t kept_count_ = 0;

  // In this step.
  std::size_t started_gathers_ = 0;
  std::size_t used_gathers_ = 0;
  std::vector<std::size_t> gather_numbers_;   // of each gather, among the collectives
  std::vector<std::size_t> scatter_numbers_;  // of each gradient place, its last one's end
  std::vector<void*> parameters_of_;          // of each unit, where they are whole
  std::vector<std::size_t> gradients_of_;     // and the place of its gradients
  std::size_t gradient_turn_ = 0;
  std::size_t scattered_ = 0;  // units
};

}  // namespace scalestudy::sync
