// Preloaded before the stand-in for GPUs: a GPU whose memory is taken by others, as the libraries
// report it. SCALESTUDY_FULL_GPU names the library that finds no room: cublas, cudnn or nccl.
#include <cstdlib>
#include <string_view>

#include <cublasLt.h>
#include <cudnn.h>
#include <nccl.h>

namespace {

bool is_full(std::string_view library) {
  const char* name = std::getenv("SCALESTUDY_FULL_GPU");  // NOLINT(concurrency-mt-unsafe)
  return name != nullptr && library == name;
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): theirs
extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  *handle = nullptr;
  return is_full("cublas") ? CUBLAS_STATUS_ALLOC_FAILED : CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t /*handle*/) {
  return CUBLAS_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  *handle = nullptr;
  return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
}
ncclResult_t ncclCommInitRank(ncclComm_t* comm, int /*size*/, ncclUniqueId /*id*/, int /*rank*/) {
  *comm = nullptr;
  return ncclUnhandledCudaError;
}
const char* ncclGetLastError(ncclComm_t /*comm*/) {
  return "Cuda failure 2 'out of memory'";
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
