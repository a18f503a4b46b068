// Stands for NCCL's header: the declarations that the product uses, with the documented names,
// signatures and values.
#pragma once

#include <cstddef>

#include <cuda_runtime_api.h>

struct ncclComm;
using ncclComm_t = ncclComm*;

struct ncclUniqueId {
  char internal[128];
};

struct ncclConfig_t;

enum ncclResult_t {
  ncclSuccess = 0,
  ncclUnhandledCudaError = 1,
  ncclInvalidArgument = 4,
  ncclRemoteError = 6,
  ncclInProgress = 7,
};

enum ncclDataType_t {
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9,
};

enum ncclRedOp_t { ncclSum = 0 };

extern "C" {

ncclResult_t ncclGetVersion(int* version);
const char* ncclGetErrorString(ncclResult_t result);
const char* ncclGetLastError(ncclComm_t comm);

ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank);
ncclResult_t ncclCommSplit(
    ncclComm_t comm, int color, int key, ncclComm_t* newcomm, ncclConfig_t* config);
ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank);
ncclResult_t ncclCommCount(ncclComm_t comm, int* count);
ncclResult_t ncclCommDestroy(ncclComm_t comm);
ncclResult_t ncclCommAbort(ncclComm_t comm);
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error);

ncclResult_t ncclAllReduce(const void* send,
                           void* receive,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclRedOp_t op,
                           ncclComm_t comm,
                           cudaStream_t stream);
ncclResult_t ncclAllGather(const void* send,
                           void* receive,
                           std::size_t count,
                           ncclDataType_t type,
                           ncclComm_t comm,
                           cudaStream_t stream);
ncclResult_t ncclReduceScatter(const void* send,
                               void* receive,
                               std::size_t count,
                               ncclDataType_t type,
                               ncclRedOp_t op,
                               ncclComm_t comm,
                               cudaStream_t stream);
ncclResult_t ncclBroadcast(const void* send,
                           void* receive,
                           std::size_t count,
                           ncclDataType_t type,
                           int root,
                           ncclComm_t comm,
                           cudaStream_t stream);
ncclResult_t ncclSend(const void* send,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream);
ncclResult_t ncclRecv(void* receive,
                      std::size_t count,
                      ncclDataType_t type,
                      int peer,
                      ncclComm_t comm,
                      cudaStream_t stream);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();

}  // extern "C"
