#include "workloads/collective/layout.h"

#include <string>

#include "workloads/flags/flags.h"
#include "workloads/names/operations.h"

namespace scalestudy::collective {

using comm::Operation;

Layout layout_of(Operation operation,
                 std::size_t message_bytes,
                 std::size_t ranks,
                 std::size_t pairs) {
  const names::OperationInfo& info = names::info_of(operation);
  const std::size_t parts = info.is_split() ? ranks : 1;
  const std::size_t part_count = message_bytes / (sizeof(float) * parts);
  if (part_count == 0) {
    flags::refuse("message_bytes is " + std::to_string(message_bytes) +
                  ", of which nothing is left for a part of it on each of " +
                  std::to_string(ranks) + " ranks; give at least " +
                  std::to_string(sizeof(float) * parts));
  }
  const std::size_t whole = part_count * parts;
  Layout layout{
      .send_count = whole,
      .receive_count = whole,
      .total_bytes = whole * sizeof(float),
      .busbw_factor = info.bus_factor(static_cast<double>(ranks), static_cast<double>(pairs))};
  if (operation == Operation::kAllGather) {
    layout.send_count = part_count;
  } else if (operation == Operation::kReduceScatter) {
    layout.receive_count = part_count;
  } else if (operation == Operation::kPingPong) {
    layout.trips = 2.0;
  }
  return layout;
}

}  // namespace scalestudy::collective
