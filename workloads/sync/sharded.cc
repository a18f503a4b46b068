#include "workloads/sync/sharded.h"

#include <algorithm>
#include <utility>

namespace scalestudy::sync {

ShardedSync::ShardedSync(const Links& links,
                         device::Device& device,
                         std::vector<ShardedUnit> units,
                         ShardedMemory memory,
                         std::size_t ready_calls,
                         Bind bind)
    : exchanges_(links),
      links_(links),
      device_(device),
      units_(std::move(units)),
      memory_(std::move(memory)),
      wait_limit_(5 * units_.size() + ready_calls + 3),
      bind_(std::move(bind)),
      own_places_(units_.size()),
      scatter_numbers_(memory_.gradient_places.size()),
      parameters_of_(units_.size()),
      gradients_of_(units_.size()) {
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    if (units_[unit].is_kept) {
      own_places_[unit] = kept_count_++;
    }
  }
  if (is_fsdp()) {
    plan_gathers();
  }
  gather_numbers_.resize(gathers_.size());
  plan_parts();
}

void ShardedSync::plan_gathers() {
  const std::size_t turns = memory_.parameter_places.size() - kept_count_;
  std::size_t turn = 0;
  const auto plan = [&](std::size_t unit) {
    gathers_.push_back(
        {unit, units_[unit].is_kept ? own_places_[unit] : kept_count_ + turn++ % turns});
  };
  for (std::size_t unit = units_.size(); unit-- > 0;) {
    plan(unit);
  }
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    if (!units_[unit].is_kept) {
      plan(unit);
    }
  }
}

void ShardedSync::plan_parts() {
  if (is_fsdp()) {
    parts_.push_back(
        {.count = memory_.gradients.count, .parameters = 0, .gradients = 0, .state = 0});
    return;
  }
  for (const ShardedUnit& unit : units_) {
    const std::size_t count = unit.count / links_.ranks;
    const std::size_t share = unit.offset / links_.ranks;
    parts_.push_back({.count = count,
                      .parameters = unit.offset + links_.rank * count,
                      .gradients = share,
                      .state = share});
  }
}

std::size_t ShardedSync::collective_count() const {
  return units_.size() + (is_fsdp() ? gathers_.size() : units_.size()) +
         (links_.has_sum_of_parts ? 1 : 0);
}

void ShardedSync::begin(CommunicationMarks* marks) {
  exchanges_.begin(marks);
  started_gathers_ = 0;
  used_gathers_ = 0;
  gradient_turn_ = 0;
  scattered_ = 0;
  std::fill(scatter_numbers_.begin(), scatter_numbers_.end(), 0);
}

void ShardedSync::before_forward(std::size_t unit) {
  if (is_fsdp()) {
    parameters_of_[unit] = gather_next(Within::kForward);
    bind_(unit, parameters_of_[unit], nullptr);
  }
}

void ShardedSync::before_backward(std::size_t unit) {
  if (!is_fsdp()) {
    parameters_of_[unit] = place_of(unit);
  } else if (!units_[unit].is_kept) {
    parameters_of_[unit] = gather_next(Within::kBackward);
  }
  bind_(unit, parameters_of_[unit], next_gradient_place(unit));
}

void* ShardedSync::gather_next(Within phase) {
  const std::size_t turns = memory_.parameter_places.size() - kept_count_;
  const std::size_t ahead = exchanges_.has_overlap() && turns > 0 ? turns - 1 : 0;
  const Gather& next = gathers_[used_gathers_];
  exchanges_.begin_wait();
  for (; started_gathers_ < std::min(gathers_.size(), used_gathers_ + ahead + 1);
       ++started_gathers_) {
    const Gather& gather = gathers_[started_gathers_];
    gather_numbers_[started_gathers_] = exchanges_.started();
    exchanges_.start(comm::Operation::kAllGather,
                     whole_of(gather.unit, memory_.parameter_places[gather.place]),
                     share_of(gather.unit, memory_.parameters));
  }
  exchanges_.wait(gather_numbers_[used_gathers_] + 1);
  exchanges_.end_wait(phase);
  ++used_gathers_;
  return memory_.parameter_places[next.place];
}

void* ShardedSync::next_gradient_place(std::size_t unit) {
  const std::size_t turns = memory_.gradient_places.size() - kept_count_;
  const std::size_t place =
      units_[unit].is_kept ? own_places_[unit] : kept_count_ + gradient_turn_++ % turns;
  if (scatter_numbers_[place] > exchanges_.complete()) {
    exchanges_.begin_wait();
    exchanges_.wait(scatter_numbers_[place]);
    exchanges_.end_wait(Within::kBackward);
  }
  gradients_of_[unit] = place;
  const comm::Buffer whole = whole_of(unit, memory_.gradient_places[place]);
  // Zero where no tensor of this unit lies, though one of another has.
  device_.clear(whole.data, whole.count * device::size_bytes(whole.type));
  return whole.data;
}

void ShardedSync::on_gradients_ready(std::size_t elements) {
  exchanges_.begin_wait();
  for (; scattered_ < units_.size() &&
         units_[scattered_].offset + units_[scattered_].count <= elements;
       ++scattered_) {
    const std::size_t place = gradients_of_[scattered_];
    exchanges_.start(comm::Operation::kReduceScatter,
                     whole_of(scattered_, memory_.gradient_places[place]),
                     share_of(scattered_, memory_.gradients));
    scatter_numbers_[place] = exchanges_.started();
  }
  if (links_.overlap == Overlap::kBackground) {
    return;  // nothing was waited for
  }
  while (exchanges_.has_overlap() && exchanges_.advance()) {
  }
  exchanges_.end_wait(Within::kBackward);
}

void ShardedSync::finish() {
  exchanges_.begin_wait();
  exchanges_.wait(exchanges_.started());
  exchanges_.end_wait(Within::kSync);
}

void ShardedSync::sum_of_parts(const comm::Buffer& number) {
  exchanges_.sum(number);
}

void ShardedSync::on_updated(std::size_t part) {
  if (is_fsdp()) {
    return;
  }
  exchanges_.begin_wait();
  exchanges_.start(comm::Operation::kAllGather, whole_of(part, place_of(part)));
  if (links_.overlap != Overlap::kBackground) {
    exchanges_.end_wait(Within::kUpdate);
  }
}

void ShardedSync::end() {
  if (is_fsdp()) {
    return;
  }
  exchanges_.begin_wait();
  exchanges_.wait(exchanges_.started());
  exchanges_.end_wait(Within::kUpdate);
}

comm::Buffer ShardedSync::whole_of(std::size_t unit, void* place) const {
  return {place, units_[unit].count, memory_.gradients.type};
}

void* ShardedSync::share_of(std::size_t unit, const comm::Buffer& shares) const {
  return static_cast<std::byte*>(shares.data) +
         units_[unit].offset / links_.ranks * device::size_bytes(shares.type);
}

void* ShardedSync::place_of(std::size_t unit) const {
  return static_cast<std::byte*>(memory_.parameters.data) +
         units_[unit].offset * device::size_bytes(memory_.parameters.type);
}

}  // namespace scalestudy::sync
