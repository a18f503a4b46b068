#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>
#include <vector>

#include <mpi.h>

#include "workloads/comm/communicator.h"
#include "workloads/comm/declared_link.h"
#include "workloads/comm/placement.h"
#include "workloads/protocol/exit_codes.h"
#include "workloads/rank/error.h"
#include "workloads/rank/sleeper.h"

namespace scalestudy::comm {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{8} << 20U;
constexpr const char* kNoSuchOperation = "training has no such operation";

// inout[i] += in[i] for elements MPI does not know; its signature is MPI_User_function's.
template <typename T>
// NOLINTNEXTLINE(readability-non-const-parameter): MPI's type has no const
void sum_elements(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
  T* to = static_cast<T*>(inout);
#pragma omp simd
  for (int i = 0; i < *count; ++i) {
    to[i] = device::rounded<T>(to[i] + static_cast<const T*>(in)[i]);
  }
}

// Of an operation with parts.
const void* send(const Exchange& exchange) {
  if (exchange.is_in_place()) {
    return MPI_IN_PLACE;
  }
  return exchange.operation == Operation::kAllGather ? exchange.part.data : exchange.whole.data;
}

const Buffer& receive(const Exchange& exchange) {
  return exchange.is_in_place() ? exchange.whole : exchange.part;
}

// MPI counts elements in an int.
int count(const Buffer& buffer) {
  if (buffer.count > std::numeric_limits<int>::max()) {
    throw std::length_error(
        "a bucket holds more elements than one MPI call takes; use strategy ddp and lower "
        "bucket_mb");
  }
  return static_cast<int>(buffer.count);
}

// Elements of a buffer from `first` on.
Buffer slice(const Buffer& buffer, std::size_t first, std::size_t count) {
  return {static_cast<std::byte*>(buffer.data) + first * device::size_bytes(buffer.type),
          count,
          buffer.type};
}

// Its communicators and types are never freed: to free them is collective and would wait for a rank
// that has failed.
class MpiCommunicator final : public Communicator {
 public:
  MpiCommunicator(NodeRanks nodes, std::size_t slot_count, const std::optional<DeclaredLink>& link);

  void run(const Exchange& exchange) override;
  void start(std::size_t slot, const Exchange& exchange) override;
  bool test(std::size_t slot) override;
  void wait(std::size_t slot) override;

 private:
  struct Slot {
    MPI_Request request = MPI_REQUEST_NULL;
    Exchange exchange{};
    std::optional<double> end_s{};  // on a declared link; absent: its data are on their way
  };

  // Ranks that meet in one part of an all-reduce over nodes.
  struct Group {
    MPI_Comm communicator = MPI_COMM_NULL;
    int rank = 0;
    int size = 1;
  };

  static Group split(MPI_Comm all, int color, int order);
  static void finish(const Exchange& exchange);
  // When the declared link is through with an operation whose data are now.
  double end_on_link(const Exchange& exchange);
  // Whether the data are here; with a declared link alone.
  bool are_here(Slot& slot);
  void run_calls(const Exchange& exchange);
  void make_nodes(std::size_t node_ranks);
  void allreduce(const Buffer& buffer);
  void allreduce_over_nodes(const Buffer& piece);

  MPI_Datatype type(const Buffer& buffer) const;
  MPI_Op sum(const Buffer& buffer) const;

  MPI_Comm communicator_ = MPI_COMM_NULL;
  bool has_nodes_ = false;
  Group node_;                // this rank's
  Group across_;              // ranks with its place in other nodes
  std::vector<int> counts_;   // elements of each rank of the node
  std::vector<int> offsets_;  // and where they begin
  MPI_Datatype two_bytes_ = MPI_DATATYPE_NULL;
  MPI_Op bf16_sum_ = MPI_OP_NULL;
  MPI_Op half_sum_ = MPI_OP_NULL;
  std::vector<Slot> slots_;
  std::optional<DeclaredLink> link_;
  LinkQueue queue_;
  int ranks_ = 1;
};

MpiCommunicator::MpiCommunicator(NodeRanks nodes,
                                 std::size_t slot_count,
                                 const std::optional<DeclaredLink>& link)
    : slots_(slot_count), link_(link) {
  MPI_CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &communicator_));
  MPI_CHECK(MPI_Comm_size(communicator_, &ranks_));
  MPI_CHECK(MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN));
  MPI_CHECK(MPI_Type_contiguous(2, MPI_BYTE, &two_bytes_));
  MPI_CHECK(MPI_Type_commit(&two_bytes_));
  MPI_CHECK(MPI_Op_create(sum_elements<device::Bf16>, 1, &bf16_sum_));
  MPI_CHECK(MPI_Op_create(sum_elements<device::Half>, 1, &half_sum_));
  if (nodes) {
    make_nodes(*nodes);
  }
}

MpiCommunicator::Group MpiCommunicator::split(MPI_Comm all, int color, int order) {
  Group group;
  MPI_CHECK(MPI_Comm_split(all, color, order, &group.communicator));
  MPI_CHECK(MPI_Comm_set_errhandler(group.communicator, MPI_ERRORS_RETURN));
  MPI_CHECK(MPI_Comm_rank(group.communicator, &group.rank));
  MPI_CHECK(MPI_Comm_size(group.communicator, &group.size));
  return group;
}

void MpiCommunicator::make_nodes(std::size_t node_ranks) {
  int rank = 0;
  MPI_CHECK(MPI_Comm_rank(communicator_, &rank));
  int node = 0;
  if (node_ranks > 0) {
    node = rank / static_cast<int>(node_ranks);
  } else {
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_CHECK(
        MPI_Comm_split_type(communicator_, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &machine));
    node = rank;  // of its first rank
    MPI_CHECK(MPI_Bcast(&node, 1, MPI_INT, 0, machine));
    MPI_CHECK(MPI_Comm_free(&machine));
  }
  node_ = split(communicator_, node, rank);
  across_ = split(communicator_, node_.rank, rank);
  std::array<int, 2> sizes = {node_.size, -node_.size};
  MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, sizes.data(), 2, MPI_INT, MPI_MAX, communicator_));
  if (sizes[0] != -sizes[1]) {
    throw rank::WorkloadError(
        protocol::kExitUsage,
        unequal_nodes(static_cast<std::size_t>(-sizes[1]), static_cast<std::size_t>(sizes[0])));
  }
  counts_.resize(static_cast<std::size_t>(node_.size));
  offsets_.resize(counts_.size());
  has_nodes_ = true;
}

double MpiCommunicator::end_on_link(const Exchange& exchange) {
  const bool is_over_nodes = has_nodes_ && exchange.operation == Operation::kAllReduce;
  const Buffer& whole = exchange.whole;
  const auto bytes = static_cast<double>(whole.count * device::size_bytes(whole.type));
  return queue_.end_s(rank::now_s(),
                      link_->time_s(exchange.operation,
                                    is_over_nodes ? bytes / node_.size : bytes,
                                    is_over_nodes ? across_.size : ranks_));
}

void MpiCommunicator::run(const Exchange& exchange) {
  if (!link_) {
    return run_calls(exchange);
  }
  // Ranks that share cores wait for each other asleep, and then call what others call: the ring of
  // MPI_Iallreduce took twice the time of the links between two nodes.
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_CHECK(MPI_Ibarrier(communicator_, &request));
  for (int complete = 0; complete == 0; rank::leave_core()) {
    MPI_CHECK(MPI_Test(&request, &complete, MPI_STATUS_IGNORE));
  }
  run_calls(exchange);
  rank::sleep_until(end_on_link(exchange));
}

void MpiCommunicator::run_calls(const Exchange& exchange) {
  const auto& [operation, whole, part] = exchange;
  switch (operation) {
    case Operation::kAllReduce:
      return allreduce(whole);
    case Operation::kReduceScatter:
      MPI_CHECK(MPI_Reduce_scatter_block(send(exchange),
                                         receive(exchange).data,
                                         count(part),
                                         type(whole),
                                         sum(whole),
                                         communicator_));
      return finish(exchange);
    case Operation::kAllGather:
      MPI_CHECK(MPI_Allgather(send(exchange),
                              count(part),
                              type(whole),
                              whole.data,
                              count(part),
                              type(whole),
                              communicator_));
      return;
    default:
      throw std::logic_error(kNoSuchOperation);
  }
}

void MpiCommunicator::start(std::size_t slot, const Exchange& exchange) {
  Slot& used = slots_.at(slot);
  used.exchange = exchange;
  used.end_s.reset();
  MPI_Request& request = used.request;
  const auto& [operation, whole, part] = exchange;
  switch (operation) {
    case Operation::kAllReduce:
      if (has_nodes_) {
        throw std::logic_error("an all-reduce over nodes is run, not started");
      }
      MPI_CHECK(MPI_Iallreduce(MPI_IN_PLACE,
                               whole.data,
                               count(whole),
                               type(whole),
                               sum(whole),
                               communicator_,
                               &request));
      return;
    case Operation::kReduceScatter:
      MPI_CHECK(MPI_Ireduce_scatter_block(send(exchange),
                                          receive(exchange).data,
                                          count(part),
                                          type(whole),
                                          sum(whole),
                                          communicator_,
                                          &request));
      return;
    case Operation::kAllGather:
      MPI_CHECK(MPI_Iallgather(send(exchange),
                               count(part),
                               type(whole),
                               whole.data,
                               count(part),
                               type(whole),
                               communicator_,
                               &request));
      return;
    default:
      throw std::logic_error(kNoSuchOperation);
  }
}

bool MpiCommunicator::are_here(Slot& slot) {
  int complete = 0;
  if (!slot.end_s) {
    MPI_CHECK(MPI_Test(&slot.request, &complete, MPI_STATUS_IGNORE));
  }
  if (complete != 0) {
    finish(slot.exchange);
    slot.end_s = end_on_link(slot.exchange);
  }
  return slot.end_s.has_value();
}

bool MpiCommunicator::test(std::size_t slot) {
  Slot& used = slots_.at(slot);
  if (link_) {
    return are_here(used) && *used.end_s <= rank::now_s();
  }
  int complete = 0;
  MPI_CHECK(MPI_Test(&used.request, &complete, MPI_STATUS_IGNORE));
  if (complete != 0) {
    finish(used.exchange);
  }
  return complete != 0;
}

void MpiCommunicator::wait(std::size_t slot) {
  Slot& used = slots_.at(slot);
  if (link_) {
    while (!are_here(used)) {
      rank::leave_core();
    }
    rank::sleep_until(*used.end_s);
    return;
  }
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): start() made it
  MPI_CHECK(MPI_Wait(&used.request, MPI_STATUS_IGNORE));
  finish(used.exchange);
}

// MPI leaves the part of a sum in place at the beginning of the whole. Open MPI leaves the rest as
// it was, so that padding behind tensors is still zero.
void MpiCommunicator::finish(const Exchange& exchange) {
  if (exchange.operation == Operation::kReduceScatter && exchange.is_in_place() &&
      exchange.part.data != exchange.whole.data) {
    const std::size_t bytes = exchange.part.count * device::size_bytes(exchange.part.type);
    std::memcpy(exchange.part.data, exchange.whole.data, bytes);
    std::memset(exchange.whole.data, 0, bytes);
  }
}

// In pieces: above 16 MiB Open MPI maps new memory for every call, and spends most of it there
// (235 MB on 2 ranks: 104 ms in one call, 43 ms in pieces).
void MpiCommunicator::allreduce(const Buffer& buffer) {
  const std::size_t piece_count = kPieceBytes / device::size_bytes(buffer.type);
  for (std::size_t first = 0; first < buffer.count; first += piece_count) {
    const Buffer piece = slice(buffer, first, std::min(piece_count, buffer.count - first));
    if (has_nodes_) {
      allreduce_over_nodes(piece);
    } else {
      MPI_CHECK(MPI_Allreduce(
          MPI_IN_PLACE, piece.data, count(piece), type(piece), sum(piece), communicator_));
    }
  }
}

void MpiCommunicator::allreduce_over_nodes(const Buffer& piece) {
  const std::size_t ranks = counts_.size();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    offsets_[rank] = static_cast<int>(piece.count * rank / ranks);
    counts_[rank] = static_cast<int>(piece.count * (rank + 1) / ranks) - offsets_[rank];
  }
  const auto place = static_cast<std::size_t>(node_.rank);
  const Buffer own = slice(
      piece, static_cast<std::size_t>(offsets_[place]), static_cast<std::size_t>(counts_[place]));
  MPI_CHECK(MPI_Reduce_scatter(
      MPI_IN_PLACE, piece.data, counts_.data(), type(piece), sum(piece), node_.communicator));
  // In place, MPI leaves the rank's sums at the beginning.
  std::memmove(own.data, piece.data, own.count * device::size_bytes(own.type));
  MPI_CHECK(
      MPI_Allreduce(MPI_IN_PLACE, own.data, count(own), type(own), sum(own), across_.communicator));
  MPI_CHECK(MPI_Allgatherv(MPI_IN_PLACE,
                           0,
                           MPI_DATATYPE_NULL,
                           piece.data,
                           counts_.data(),
                           offsets_.data(),
                           type(piece),
                           node_.communicator));
}

MPI_Datatype MpiCommunicator::type(const Buffer& buffer) const {
  switch (buffer.type) {
    case device::DataType::kFloat32:
      return MPI_FLOAT;
    case device::DataType::kFloat64:
      return MPI_DOUBLE;
    case device::DataType::kBfloat16:
    case device::DataType::kFloat16:
      break;
  }
  return two_bytes_;
}

MPI_Op MpiCommunicator::sum(const Buffer& buffer) const {
  switch (buffer.type) {
    case device::DataType::kBfloat16:
      return bf16_sum_;
    case device::DataType::kFloat16:
      return half_sum_;
    case device::DataType::kFloat32:
    case device::DataType::kFloat64:
      break;
  }
  return MPI_SUM;
}

}  // namespace

std::unique_ptr<Communicator> make_mpi_communicator(NodeRanks nodes,
                                                    std::size_t slot_count,
                                                    const std::optional<DeclaredLink>& link) {
  return std::make_unique<MpiCommunicator>(nodes, slot_count, link);
}

}  // namespace scalestudy::comm
