#include "workloads/collective/bench.h"

#include <algorithm>
#include <limits>

#include "workloads/collective/backend.h"
#include "workloads/collective/pattern.h"

namespace scalestudy::collective {
namespace {

constexpr device::Mark kBegin = 0;
constexpr device::Mark kEnd = 1;
constexpr std::size_t kMarkCount = 2;

}  // namespace

Bench::Bench(const Options& options, const rank::World& world, device::Device& device)
    : world_(world),
      device_(device),
      options_(options),
      layout_(layout_of(options.operation,
                        options.message_bytes,
                        static_cast<std::size_t>(world.size()),
                        pair_count(options, world.size()))),
      arena_(device),
      send_(arena_.take<float>(layout_.send_count)),
      receive_(arena_.take<float>(layout_.receive_count)),
      staged_(std::max(send_.size(), receive_.size())),
      operation_(make_operation(options, world, device, send_, receive_)) {
  arena_.seal();
  device_.reserve_marks(kMarkCount);
  fill_send({staged_.data(), send_.size()}, world_.rank());
  device_.copy_to_device(send_.data(), staged_.data(), send_.size_bytes());
}

double Bench::step() {
  world_.barrier();
  device_.mark(kBegin);
  for (std::size_t i = 0; i < options_.operations_per_step; ++i) {
    operation_->run();
  }
  device_.mark(kEnd);
  double elapsed_s = device_.elapsed_s(kBegin, kEnd);
  operation_->check();
  if (options_.operation == comm::Operation::kPingPong) {
    elapsed_s = longest(elapsed_s);
  }
  return elapsed_s / (layout_.trips * static_cast<double>(options_.operations_per_step));
}

double Bench::longest(double time_s) const {
  double negative = -time_s;
  world_.minimum({&negative, 1});
  return -negative;
}

void Bench::poison() {
  std::fill_n(staged_.begin(), receive_.size(), std::numeric_limits<float>::quiet_NaN());
  device_.copy_to_device(receive_.data(), staged_.data(), receive_.size_bytes());
}

std::size_t Bench::wrong_elements() {
  device_.copy_to_host(staged_.data(), receive_.data(), receive_.size_bytes());
  const std::size_t wrong = count_wrong(options_.operation,
                                        {staged_.data(), receive_.size()},
                                        send_.size(),
                                        world_.rank(),
                                        world_.size(),
                                        peer_of(options_, world_.rank(), world_.size()));
  return world_.min_max(wrong).second;
}

std::vector<double> measure_copy_bandwidth(device::Device& device,
                                           const rank::World& world,
                                           std::size_t bytes,
                                           std::size_t count) {
  device::Arena arena(device);
  const std::span<std::byte> from = arena.take<std::byte>(bytes);
  const std::span<std::byte> to = arena.take<std::byte>(bytes);
  device.reserve_marks(kMarkCount);
  std::vector<double> rates;
  for (std::size_t i = 0; i < count; ++i) {
    world.barrier();
    device.mark(kBegin);
    device.copy(to.data(), from.data(), bytes);
    device.mark(kEnd);
    rates.push_back(static_cast<double>(bytes) / device.elapsed_s(kBegin, kEnd));
  }
  return rates;
}

}  // namespace scalestudy::collective
