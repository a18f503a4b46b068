// Preloaded into a program, stands for GPUs and NCCL where there are none: the calls of the CUDA
// runtime and of NCCL that collectives make, on host memory and over MPI, with what the real ones
// demand of their arguments. A call that NCCL would let hang hangs here too.
//
//   SCALESTUDY_FAKE_GPUS   how many GPUs there are (2)
//   SCALESTUDY_FAKE_ERROR  set: the first operation never ends, as when another rank is gone; the
//                          communicator reports an error, and aborting it lets the queue go on
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <cuda_runtime_api.h>
#include <mpi.h>
#include <nccl.h>

struct CUevent_st {
  std::chrono::steady_clock::time_point at;
};
struct CUstream_st {};
struct ncclComm {
  int rank = 0;
  int size = 0;
};

namespace {

constexpr char kIdByte = 42;

struct Call {
  const void* send;  // null: a receive
  void* receive;
  std::size_t count;
  int peer;
};

// NOLINTBEGIN(cppcoreguidelines-avoid-non-const-global-variables): the state of what it stands for
std::mutex mutex;
std::map<const char*, std::size_t> blocks;  // of device memory, by address
int group_depth = 0;
std::vector<Call> group;
std::atomic<bool> is_stuck = false;
// NOLINTEND(cppcoreguidelines-avoid-non-const-global-variables)

const char* environment(const char* name) {
  return std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread changes it
}

bool is_on_device(const void* memory, std::size_t bytes) {
  const std::lock_guard lock(mutex);
  const auto* const address = static_cast<const char*>(memory);
  auto block = blocks.upper_bound(address);
  if (block == blocks.begin()) {
    return false;
  }
  --block;
  return address + bytes <= block->first + block->second;
}

bool is_known(cudaStream_t stream) {
  return stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

bool is_valid(const void* send,
              std::size_t send_count,
              const void* receive,
              std::size_t receive_count,
              ncclDataType_t type,
              cudaStream_t stream) {
  is_stuck = environment("SCALESTUDY_FAKE_ERROR") != nullptr;
  return type == ncclFloat32 && is_known(stream) &&
         is_on_device(send, send_count * sizeof(float)) &&
         is_on_device(receive, receive_count * sizeof(float));
}

void wait_for_queue() {
  while (is_stuck) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void perform(const std::vector<Call>& calls) {
  std::vector<MPI_Request> requests;
  for (const Call& call : calls) {
    requests.emplace_back();
    const int count = static_cast<int>(call.count);
    if (call.send != nullptr) {
      MPI_Isend(call.send, count, MPI_FLOAT, call.peer, 7, MPI_COMM_WORLD, &requests.back());
    } else {
      MPI_Irecv(call.receive, count, MPI_FLOAT, call.peer, 7, MPI_COMM_WORLD, &requests.back());
    }
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-function-size):
// theirs
extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  const char* text = environment("SCALESTUDY_FAKE_GPUS");
  *count = text == nullptr ? 2 : static_cast<int>(std::strtol(text, nullptr, 10));
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int /*device*/) {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int /*device*/) {
  constexpr char name[] = "Fake GPU";
  *properties = {};
  std::memcpy(properties->name, name, sizeof(name));
  properties->totalGlobalMem = std::size_t{1} << 30U;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char* id, int /*length*/, int device) {
  constexpr char first[] = "0000:00:00.0";
  std::memcpy(id, first, sizeof(first));
  id[6] = static_cast<char>('0' + device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr name, int /*device*/) {
  const std::map<cudaDeviceAttr, int> values = {{cudaDevAttrMemoryClockRate, 1000000},  // kHz
                                                {cudaDevAttrGlobalMemoryBusWidth, 1024},
                                                {cudaDevAttrComputeCapabilityMajor, 9},
                                                {cudaDevAttrMultiProcessorCount, 7}};
  const auto found = values.find(name);
  *value = found == values.end() ? 0 : found->second;
  return cudaSuccess;
}
cudaError_t cudaDeviceCanAccessPeer(int* can, int from, int to) {
  *can = from < to ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* lowest, int* highest) {
  *lowest = 0;
  *highest = -1;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned /*flags*/, int /*level*/) {
  *stream = new CUstream_st;
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  wait_for_queue();
  return is_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int /*flags*/) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->at = std::chrono::steady_clock::now();
  return is_known(stream) ? cudaSuccess : cudaErrorInvalidResourceHandle;
}
cudaError_t cudaEventSynchronize(cudaEvent_t /*event*/) {
  wait_for_queue();
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t /*event*/) {
  return is_stuck ? cudaErrorNotReady : cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* elapsed_ms, cudaEvent_t from, cudaEvent_t to) {
  *elapsed_ms = std::chrono::duration<float, std::milli>(to->at - from->at).count();
  return cudaSuccess;
}

cudaError_t cudaMalloc(void** block, std::size_t bytes) {
  *block = std::malloc(bytes);  // NOLINT(cppcoreguidelines-no-malloc): freed by cudaFree
  if (*block == nullptr) {
    return cudaErrorMemoryAllocation;
  }
  const std::lock_guard lock(mutex);
  blocks[static_cast<const char*>(*block)] = bytes;
  return cudaSuccess;
}
cudaError_t cudaFree(void* block) {
  {
    const std::lock_guard lock(mutex);
    if (blocks.erase(static_cast<const char*>(block)) == 0) {
      return cudaErrorInvalidValue;
    }
  }
  std::free(block);  // NOLINT(cppcoreguidelines-no-malloc): taken by cudaMalloc
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* block, int value, std::size_t bytes, cudaStream_t stream) {
  if (!is_on_device(block, bytes) || !is_known(stream)) {
    return cudaErrorInvalidValue;
  }
  std::memset(block, value, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(
    void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const bool is_to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool is_from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (is_on_device(to, bytes) != is_to_device || is_on_device(from, bytes) != is_from_device ||
      !is_known(stream)) {
    return cudaErrorInvalidValue;
  }
  std::memcpy(to, from, bytes);
  return cudaSuccess;
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
  for (const char byte : id.internal) {
    if (byte != kIdByte || rank != world_rank || size != world_size) {
      return ncclInvalidArgument;
    }
  }
  *comm = new ncclComm{rank, size};
  return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  delete comm;
  return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t /*comm*/) {
  is_stuck = false;
  return ncclSuccess;  // not freed: the thread that queues may be inside a call with it
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t /*comm*/, ncclResult_t* error) {
  *error = is_stuck ? ncclRemoteError : ncclSuccess;
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* send,
                           void* receive,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclRedOp_t op,
                           ncclComm_t /*comm*/,
                           cudaStream_t stream) {
  if (!is_valid(send, count, receive, count, type, stream) || op != ncclSum) {
    return ncclInvalidArgument;
  }
  MPI_Allreduce(send, receive, static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return ncclSuccess;
}
ncclResult_t ncclAllGather(const void* send,
                           void* receive,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  const auto size = static_cast<std::size_t>(comm->size);
  if (!is_valid(send, count, receive, count * size, type, stream)) {
    return ncclInvalidArgument;
  }
  const int part = static_cast<int>(count);
  MPI_Allgather(send, part, MPI_FLOAT, receive, part, MPI_FLOAT, MPI_COMM_WORLD);
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
  if (!is_valid(send, count * size, receive, count, type, stream) || op != ncclSum) {
    return ncclInvalidArgument;
  }
  MPI_Reduce_scatter_block(
      send, receive, static_cast<int>(count), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  return ncclSuccess;
}
ncclResult_t ncclBroadcast(const void* send,
                           void* receive,
                           std::size_t count,
                           ncclDataType_t type,
                           int root,
                           ncclComm_t comm,
                           cudaStream_t stream) {
  if (!is_valid(send, count, receive, count, type, stream)) {
    return ncclInvalidArgument;
  }
  if (comm->rank == root) {
    std::memcpy(receive, send, count * sizeof(float));
  }
  MPI_Bcast(receive, static_cast<int>(count), MPI_FLOAT, root, MPI_COMM_WORLD);
  return ncclSuccess;
}

ncclResult_t ncclSend(const void* send,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t /*comm*/,
                      cudaStream_t stream) {
  if (!is_valid(send, count, send, count, type, stream)) {
    return ncclInvalidArgument;
  }
  if (group_depth > 0) {
    group.push_back({send, nullptr, count, peer});
  } else {
    MPI_Ssend(send, static_cast<int>(count), MPI_FLOAT, peer, 7, MPI_COMM_WORLD);
  }
  return ncclSuccess;
}
ncclResult_t ncclRecv(void* receive,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t /*comm*/,
                      cudaStream_t stream) {
  if (!is_valid(receive, count, receive, count, type, stream)) {
    return ncclInvalidArgument;
  }
  const Call call{nullptr, receive, count, peer};
  if (group_depth > 0) {
    group.push_back(call);
  } else {
    perform({call});
  }
  return ncclSuccess;
}
ncclResult_t ncclGroupStart() {
  ++group_depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  if (--group_depth == 0) {
    perform(group);
    group.clear();
  }
  return ncclSuccess;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-function-size)
