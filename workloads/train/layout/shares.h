// The share that each rank keeps of a model whose units are split evenly over the ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "workloads/comm/comm.h"
#include "workloads/device/arena.h"
#include "workloads/model/model.h"

namespace scalestudy::train {

// A rank's part of a unit, in its shares of all units, one after another.
template <typename T>
std::span<T> share_of(std::span<T> shares, const model::Unit& unit, std::size_t ranks) {
  return shares.subspan(unit.offset / ranks, unit.elements / ranks);
}

// Writes a rank's part of every unit.
//   host    (all elements of the model)
//   shares  device memory
template <typename T>
void deal_shares(device::Device& device,
                 std::span<const model::Unit> units,
                 std::span<const T> host,
                 std::span<T> shares,
                 std::size_t rank,
                 std::size_t ranks) {
  for (const model::Unit& unit : units) {
    const std::span<T> share = share_of(shares, unit, ranks);
    device.copy_to_device(
        share.data(), &host[unit.offset + rank * share.size()], share.size_bytes());
  }
}

// Gathers the shares of all ranks: all units, on the host. Collective: every rank calls.
template <typename T>
std::vector<T> gather_shares(device::Device& device,
                             comm::Comm& comm,
                             std::span<const model::Unit> units,
                             std::span<T> shares,
                             std::size_t ranks) {
  const auto buffer = [](std::span<T> values) {
    return comm::Buffer{values.data(), values.size(), device::kDataType<T>};
  };
  std::vector<T> values(units.back().offset + units.back().elements);
  device::Arena arena(device);
  for (const model::Unit& unit : units) {
    const std::span<T> whole = arena.take<T>(unit.elements);
    comm.run({comm::Operation::kAllGather, buffer(whole), buffer(share_of(shares, unit, ranks))},
             std::nullopt);
    device.copy_to_host(&values[unit.offset], whole.data(), whole.size_bytes());
  }
  return values;
}

}  // namespace scalestudy::train
