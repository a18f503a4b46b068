// ZeRO-2 and fully sharded data parallel (ZeRO-3): the gradients of a unit of the model, in ZeRO-3
// its parameters too, are whole only while the unit computes.
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
  bool is_kept;  // it has places of its own and is gathered once a step; others share places
};

// Device memory of a sharded model, of one type.
struct ShardedMemory {
  comm::Buffer parameters;  // fsdp: the rank's shares, unit after unit; zero2: all of the model
  comm::Buffer gradients;   // the rank's shares
  // Memory for whole units: a place of each kept unit, in order, then the places that others share.
  std::vector<void*> parameter_places{};  // empty for zero2
  std::vector<void*> gradient_places{};
};

class ShardedSync final : public Strategy {
 public:
  // Called before a unit computes, with the places of its parameters (zero2: within all parameters)
  // and of its gradients.
  using Bind = std::function<void(std::size_t unit, void* parameters, void* gradients)>;

  // links, memory and device outlive this.
  // - ready_calls: most calls of on_gradients_ready() in a step.
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
  // Called before a unit computes, once a step each: forward in the reverse order of units,
  // backward in their order, except that kept units come when they are first needed.
  void before_forward(std::size_t unit);
  void before_backward(std::size_t unit);
  void on_gradients_ready(std::size_t elements) override;
  void finish() override;
  void sum_of_parts(const comm::Buffer& number) override;
  void on_updated(std::size_t part) override;
  void end() override;

 private:
  // Gathers all parameters of a unit in a place, for forward, and for backward again unless it is
  // kept.
  struct Gather {
    std::size_t unit;
    std::size_t place;
  };

  bool is_fsdp() const { return !memory_.parameter_places.empty(); }
  void plan_gathers();
  void plan_parts();
  // Starts the gathers that may be started and waits for the next one; returns its place.
  void* gather_next(Within phase);
  // Returns a place that no sum is taken from any more.
  void* next_gradient_place(std::size_t unit);
  comm::Buffer whole_of(std::size_t unit, void* place) const;
  void* share_of(std::size_t unit, const comm::Buffer& shares) const;
  // The unit's place within all parameters; for zero2.
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
  std::vector<std::size_t> gather_numbers_;   // number of each gather among the collectives
  std::vector<std::size_t> scatter_numbers_;  // by gradient place: end of its last scatter
  std::vector<void*> parameters_of_;          // by unit: where its parameters are whole
  std::vector<std::size_t> gradients_of_;     // by unit: the place of its gradients
  std::size_t gradient_turn_ = 0;
  std::size_t scattered_ = 0;  // units
};

}  // namespace scalestudy::sync
