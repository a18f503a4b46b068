#include "workloads/collective/layout.h"

#include <algorithm>
#include <string>

#include "workloads/flags/flags.h"

namespace scalestudy::collective {
namespace {

using comm::Operation;

bool is_split(Operation operation) {
  return operation == Operation::kAllGather || operation == Operation::kReduceScatter ||
         operation == Operation::kAllToAll;
}

double busbw_factor(Operation operation, std::size_t ranks) {
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  if (operation == Operation::kAllReduce) {
    return 2.0 * others;
  }
  return is_split(operation) ? others : 1.0;
}

}  // namespace

Layout layout_of(Operation operation,
                 std::size_t message_bytes,
                 std::size_t ranks,
                 std::size_t pairs) {
  const std::size_t parts = is_split(operation) ? ranks : 1;
  const std::size_t part_count = message_bytes / (sizeof(float) * parts);
  if (part_count == 0) {
    flags::refuse("message_bytes is " + std::to_string(message_bytes) +
                  ", of which nothing is left for a part of it on each of " +
                  std::to_string(ranks) + " ranks; give at least " +
                  std::to_string(sizeof(float) * parts));
  }
  const std::size_t whole = part_count * parts;
  Layout layout{.send_count = whole,
                .receive_count = whole,
                .total_bytes = whole * sizeof(float),
                .busbw_factor = busbw_factor(operation, ranks)};
  if (operation == Operation::kAllGather) {
    layout.send_count = part_count;
  } else if (operation == Operation::kReduceScatter) {
    layout.receive_count = part_count;
  } else if (operation == Operation::kPingPong) {
    layout.busbw_factor = static_cast<double>(pairs);
    layout.trips = 2.0;
  }
  return layout;
}

}  // namespace scalestudy::collective
