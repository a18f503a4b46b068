// NCCL over MPI, with what the real one demands of its arguments. A call that it would let hang
// hangs here too. A send by itself goes on when its call returns, until it is received.
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include <mpi.h>
#include <nccl.h>

#include "tests/cuda/fake_gpu.h"
#include "workloads/device/data_type.h"

struct ncclComm {
  int rank = 0;
  int size = 0;
  MPI_Comm ranks = MPI_COMM_NULL;  // never freed: that would wait for a rank that is gone
};

namespace {

using namespace scalestudy;

constexpr char kIdByte = 42;

struct GroupedCall {
  const void* send;  // null: a receive
  void* receive;
  std::size_t bytes;
  int peer;
  ncclComm_t comm;
};

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): the state of what it stands for
int group_depth = 0;
std::vector<GroupedCall> group;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

bool is_valid(const void* send,
              std::size_t send_count,
              const void* receive,
              std::size_t receive_count,
              std::size_t element_bytes,
              cudaStream_t stream) {
  test::is_stuck = test::environment("SCALESTUDY_FAKE_ERROR") != nullptr;
  if (!test::is_known(stream)) {
    return false;
  }
  test::finish_queue(stream);
  return test::is_on_device(send, send_count * element_bytes) &&
         test::is_on_device(receive, receive_count * element_bytes);
}

// Whether a rank's part of the whole lies in it at its own place, or not in it.
bool is_in_place_or_apart(const void* part, const void* whole, std::size_t bytes, ncclComm_t comm) {
  const auto* const own = static_cast<const std::byte*>(part);
  const auto* const begin = static_cast<const std::byte*>(whole);
  return own == begin + static_cast<std::size_t>(comm->rank) * bytes || own + bytes <= begin ||
         own >= begin + static_cast<std::size_t>(comm->size) * bytes;
}

std::size_t bytes_of(ncclDataType_t type) {
  return type == ncclFloat64 ? 8 : type == ncclFloat32 ? 4 : 2;
}

// Of `count` elements, on every rank or scattered over them. In float, rounded once; sums of
// numbers in 16 bits differ in that from the real ones.
template <typename T>
void sum_over_ranks(
    const void* send, void* receive, std::size_t count, ncclComm_t comm, bool is_scattered) {
  std::vector<T> own(count);
  std::memcpy(own.data(), send, count * sizeof(T));
  using Real = device::Real<T>;
  MPI_Datatype type = std::is_same_v<Real, double> ? MPI_DOUBLE : MPI_FLOAT;
  const std::vector<Real> all(own.begin(), own.end());
  std::vector<Real> sums(is_scattered ? count / static_cast<std::size_t>(comm->size) : count);
  const int sum_count = static_cast<int>(sums.size());
  if (is_scattered) {
    MPI_Reduce_scatter_block(all.data(), sums.data(), sum_count, type, MPI_SUM, comm->ranks);
  } else {
    MPI_Allreduce(all.data(), sums.data(), sum_count, type, MPI_SUM, comm->ranks);
  }
  const std::vector<T> rounded(sums.begin(), sums.end());
  std::memcpy(receive, rounded.data(), rounded.size() * sizeof(T));
}

ncclResult_t sum(const void* send,
                 void* receive,
                 std::size_t count,
                 ncclDataType_t type,
                 ncclComm_t comm,
                 bool is_scattered) {
  switch (type) {
    case ncclFloat64:
      sum_over_ranks<double>(send, receive, count, comm, is_scattered);
      return ncclSuccess;
    case ncclFloat32:
      sum_over_ranks<float>(send, receive, count, comm, is_scattered);
      return ncclSuccess;
    case ncclBfloat16:
      sum_over_ranks<device::Bf16>(send, receive, count, comm, is_scattered);
      return ncclSuccess;
    case ncclFloat16:
      sum_over_ranks<device::Half>(send, receive, count, comm, is_scattered);
      return ncclSuccess;
    default:
      return ncclInvalidArgument;
  }
}

// A send ends when it is received.
MPI_Request begin(const GroupedCall& call) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int bytes = static_cast<int>(call.bytes);
  if (call.send != nullptr) {
    MPI_Issend(call.send, bytes, MPI_BYTE, call.peer, 7, call.comm->ranks, &request);
  } else {
    MPI_Irecv(call.receive, bytes, MPI_BYTE, call.peer, 7, call.comm->ranks, &request);
  }
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): who calls waits for it
  return request;
}

void perform_group() {
  std::vector<MPI_Request> requests;
  for (const GroupedCall& call : group) {
    requests.push_back(begin(call));
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  group.clear();
}

// A send or a receive: in a group, or by itself.
ncclResult_t perform(const GroupedCall& call, ncclDataType_t type, cudaStream_t stream) {
  const void* const memory = call.send != nullptr ? call.send : call.receive;
  const std::size_t count = call.bytes / bytes_of(type);
  if (!is_valid(memory, count, memory, count, bytes_of(type), stream)) {
    return ncclInvalidArgument;
  }
  if (group_depth > 0) {
    group.push_back(call);
    return ncclSuccess;
  }
  MPI_Request request = begin(call);
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): begin() began it
  auto wait = [request]() mutable { MPI_Wait(&request, MPI_STATUS_IGNORE); };
  if (call.send != nullptr) {
    test::go_on_with(stream, wait);
  } else {
    wait();
  }
  return ncclSuccess;
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-function-size):
// theirs
extern "C" {

ncclResult_t ncclGetVersion(int* version) {
  *version = 22809;
  return ncclSuccess;
}
const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclRemoteError ? "a rank is gone" : "an error of the stand-in";
}
const char* ncclGetLastError(ncclComm_t /*comm*/) {
  return test::is_full("nccl") ? "Cuda failure 2 'out of memory'" : "";
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  std::memset(id, kIdByte, sizeof(*id));
  return ncclSuccess;
}
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  int world_rank = 0;
  int world_size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  if (rank != world_rank || size != world_size ||
      std::string(id.internal, sizeof(id.internal)) != std::string(sizeof(id.internal), kIdByte)) {
    return ncclInvalidArgument;
  }
  if (test::is_full("nccl")) {
    return ncclUnhandledCudaError;
  }
  *comm = new ncclComm{rank, size};
  MPI_Comm_dup(MPI_COMM_WORLD, &(*comm)->ranks);
  return ncclSuccess;
}
ncclResult_t ncclCommSplit(
    ncclComm_t comm, int color, int key, ncclComm_t* newcomm, ncclConfig_t* /*config*/) {
  if (color < 0) {
    return ncclInvalidArgument;
  }
  *newcomm = new ncclComm;
  MPI_Comm_split(comm->ranks, color, key, &(*newcomm)->ranks);
  MPI_Comm_rank((*newcomm)->ranks, &(*newcomm)->rank);
  MPI_Comm_size((*newcomm)->ranks, &(*newcomm)->size);
  return ncclSuccess;
}
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}
ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  *count = comm->size;
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t /*comm*/) {
  test::is_stuck = false;
  return ncclSuccess;  // not freed: the thread that queues may be inside a call with it
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t /*comm*/, ncclResult_t* error) {
  *error = test::is_stuck ? ncclRemoteError : ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* send,
                           void* receive,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclRedOp_t op,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  if (!is_valid(send, count, receive, count, bytes_of(type), stream) || op != ncclSum) {
    return ncclInvalidArgument;
  }
  return sum(send, receive, count, type, comm, false);
}
ncclResult_t ncclAllGather(const void* send,
                           void* receive,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(comm->size);
  const std::size_t element_bytes = type == ncclFloat32 ? 4 : 2;
  if (!is_valid(send, count, receive, count * size, element_bytes, stream) ||
      !is_in_place_or_apart(send, receive, count * element_bytes, comm)) {
    return ncclInvalidArgument;
  }
  // It may be sent from its place in what is received.
  const int bytes = static_cast<int>(count * element_bytes);
  std::vector<std::byte> part(count * element_bytes);
  std::memcpy(part.data(), send, part.size());
  MPI_Allgather(part.data(), bytes, MPI_BYTE, receive, bytes, MPI_BYTE, comm->ranks);
  return ncclSuccess;
}
ncclResult_t ncclReduceScatter(const void* send,
                               void* receive,
                               std::size_t count,
                               ncclDataType_t type,
                               ncclRedOp_t op,
                               ncclComm_t comm,
                               cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(comm->size);
  if (!is_valid(send, count * size, receive, count, bytes_of(type), stream) || op != ncclSum ||
      !is_in_place_or_apart(receive, send, count * bytes_of(type), comm)) {
    return ncclInvalidArgument;
  }
  return sum(send, receive, count * size, type, comm, true);
}
ncclResult_t ncclBroadcast(const void* send,
                           void* receive,
                           std::size_t count,
                           ncclDataType_t type,
                           int root,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  if (type != ncclFloat32 || !is_valid(send, count, receive, count, sizeof(float), stream)) {
    return ncclInvalidArgument;
  }
  if (comm->rank == root) {
    std::memcpy(receive, send, count * sizeof(float));
  }
  MPI_Bcast(receive, static_cast<int>(count), MPI_FLOAT, root, comm->ranks);
  return ncclSuccess;
}

ncclResult_t ncclSend(const void* send,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream) {
  return perform({send, nullptr, count * bytes_of(type), peer, comm}, type, stream);
}
ncclResult_t ncclRecv(void* receive,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream) {
  return perform({nullptr, receive, count * bytes_of(type), peer, comm}, type, stream);
}
ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (--group_depth == 0) {
    perform_group();
  }
  return ncclSuccess;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-function-size)
