// cuDNN's handle and tensors.
#include <algorithm>
#include <cstring>

#include "tests/cuda/dnn.h"

using namespace scalestudy;

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): theirs
extern "C" {

std::size_t cudnnGetVersion() {
  return 91900;
}
const char* cudnnGetErrorString(cudnnStatus_t /*status*/) {
  return "an error of the stand-in";
}
void cudnnGetLastErrorString(char* message, std::size_t size) {
  std::strncpy(message, test::reason().c_str(), size - 1);
  message[size - 1] = '\0';
}
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  if (test::is_full("cudnn")) {
    return CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED;
  }
  return test::create(handle);
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return test::destroy(handle);
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor) {
  return test::create(tensor);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
  return test::destroy(tensor);
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnTensorFormat_t format,
                                         cudnnDataType_t type,
                                         int n,
                                         int c,
                                         int h,
                                         int w) {
  if (format != CUDNN_TENSOR_NHWC || std::min({n, c, h, w}) < 1) {
    return test::refuse_dnn("the stand-in has channels last, and none of nothing");
  }
  tensor->type = test::type_of(type);
  tensor->sizes = {static_cast<std::size_t>(n),
                   static_cast<std::size_t>(c),
                   static_cast<std::size_t>(h),
                   static_cast<std::size_t>(w)};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnDataType_t type,
                                         int count,
                                         const int sizes[],
                                         const int strides[]) {
  if (count != 3 || strides[2] != 1 || strides[1] != sizes[2] ||
      strides[0] != sizes[1] * sizes[2]) {
    return test::refuse_dnn("the stand-in's states are dense and of three dimensions");
  }
  tensor->type = test::type_of(type);
  for (std::size_t i = 0; i < 3; ++i) {
    tensor->sizes.at(i) = static_cast<std::size_t>(sizes[i]);
  }
  tensor->sizes[3] = 1;
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
