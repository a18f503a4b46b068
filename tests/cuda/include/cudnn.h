// Stands for cuDNN's header: the declarations that the product uses, with the documented names,
// signatures and values.
#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime_api.h>

struct cudnnContext;
struct cudnnTensorStruct;
struct cudnnFilterStruct;
struct cudnnConvolutionStruct;
struct cudnnDropoutStruct;
struct cudnnRNNStruct;
struct cudnnRNNDataStruct;
using cudnnHandle_t = cudnnContext*;
using cudnnTensorDescriptor_t = cudnnTensorStruct*;
using cudnnFilterDescriptor_t = cudnnFilterStruct*;
using cudnnConvolutionDescriptor_t = cudnnConvolutionStruct*;
using cudnnDropoutDescriptor_t = cudnnDropoutStruct*;
using cudnnRNNDescriptor_t = cudnnRNNStruct*;
using cudnnRNNDataDescriptor_t = cudnnRNNDataStruct*;

enum cudnnStatus_t {
  CUDNN_STATUS_SUCCESS = 0,
  CUDNN_STATUS_BAD_PARAM = 2000,
  CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED = 4003,
  CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED = 4004,
};
enum cudnnDataType_t { CUDNN_DATA_FLOAT = 0, CUDNN_DATA_HALF = 2, CUDNN_DATA_BFLOAT16 = 9 };
enum cudnnTensorFormat_t { CUDNN_TENSOR_NCHW = 0, CUDNN_TENSOR_NHWC = 1 };
enum cudnnMathType_t { CUDNN_DEFAULT_MATH = 0, CUDNN_TENSOR_OP_MATH = 1, CUDNN_FMA_MATH = 3 };
enum cudnnDeterminism_t { CUDNN_NON_DETERMINISTIC = 0, CUDNN_DETERMINISTIC = 1 };
enum cudnnConvolutionMode_t { CUDNN_CONVOLUTION = 0, CUDNN_CROSS_CORRELATION = 1 };
enum cudnnConvolutionFwdAlgo_t {
  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM = 0,
  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1,
};
enum cudnnConvolutionBwdFilterAlgo_t {
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 = 0,  // not deterministic
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1 = 1,
};
enum cudnnConvolutionBwdDataAlgo_t {
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 = 0,  // not deterministic
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_1 = 1,
};
enum cudnnForwardMode_t { CUDNN_FWD_MODE_INFERENCE = 0, CUDNN_FWD_MODE_TRAINING = 1 };
enum cudnnRNNMode_t { CUDNN_LSTM = 2, CUDNN_GRU = 3 };
enum cudnnRNNAlgo_t { CUDNN_RNN_ALGO_STANDARD = 0 };
enum cudnnRNNBiasMode_t { CUDNN_RNN_DOUBLE_BIAS = 2 };
enum cudnnDirectionMode_t { CUDNN_UNIDIRECTIONAL = 0 };
enum cudnnRNNInputMode_t { CUDNN_LINEAR_INPUT = 0 };
enum cudnnRNNDataLayout_t { CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED = 2 };
enum cudnnWgradMode_t { CUDNN_WGRAD_MODE_ADD = 0 };
inline constexpr unsigned CUDNN_RNN_PADDED_IO_ENABLED = 1;

template <typename Algorithm>
struct cudnnAlgorithmPerformance {
  Algorithm algo;
  cudnnStatus_t status;
  float time;
  std::size_t memory;
  cudnnDeterminism_t determinism;
  cudnnMathType_t mathType;
  int reserved[3];
};
using cudnnConvolutionFwdAlgoPerf_t = cudnnAlgorithmPerformance<cudnnConvolutionFwdAlgo_t>;
using cudnnConvolutionBwdFilterAlgoPerf_t =
    cudnnAlgorithmPerformance<cudnnConvolutionBwdFilterAlgo_t>;
using cudnnConvolutionBwdDataAlgoPerf_t = cudnnAlgorithmPerformance<cudnnConvolutionBwdDataAlgo_t>;

extern "C" {

std::size_t cudnnGetVersion();
const char* cudnnGetErrorString(cudnnStatus_t status);
void cudnnGetLastErrorString(char* message, std::size_t size);
cudnnStatus_t cudnnCreate(cudnnHandle_t* handle);
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle);
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream);

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* tensor);
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor);
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnTensorFormat_t format,
                                         cudnnDataType_t type,
                                         int n,
                                         int c,
                                         int h,
                                         int w);
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnDataType_t type,
                                         int count,
                                         const int sizes[],
                                         const int strides[]);
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* filter);
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter);
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter,
                                         cudnnDataType_t type,
                                         cudnnTensorFormat_t format,
                                         int k,
                                         int c,
                                         int h,
                                         int w);
cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* convolution);
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t convolution);
cudnnStatus_t cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t convolution,
                                              int pad_h,
                                              int pad_w,
                                              int stride_h,
                                              int stride_w,
                                              int dilation_h,
                                              int dilation_w,
                                              cudnnConvolutionMode_t mode,
                                              cudnnDataType_t compute);
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t convolution,
                                          cudnnMathType_t math);

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t handle,
                                                     cudnnTensorDescriptor_t x,
                                                     cudnnFilterDescriptor_t w,
                                                     cudnnConvolutionDescriptor_t convolution,
                                                     cudnnTensorDescriptor_t y,
                                                     int requested,
                                                     int* returned,
                                                     cudnnConvolutionFwdAlgoPerf_t* results);
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t handle,
    cudnnTensorDescriptor_t x,
    cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution,
    cudnnFilterDescriptor_t dw,
    int requested,
    int* returned,
    cudnnConvolutionBwdFilterAlgoPerf_t* results);
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t handle,
    cudnnFilterDescriptor_t w,
    cudnnTensorDescriptor_t dy,
    cudnnConvolutionDescriptor_t convolution,
    cudnnTensorDescriptor_t dx,
    int requested,
    int* returned,
    cudnnConvolutionBwdDataAlgoPerf_t* results);
cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle,
                                      const void* alpha,
                                      cudnnTensorDescriptor_t x_descriptor,
                                      const void* x,
                                      cudnnFilterDescriptor_t w_descriptor,
                                      const void* w,
                                      cudnnConvolutionDescriptor_t convolution,
                                      cudnnConvolutionFwdAlgo_t algorithm,
                                      void* workspace,
                                      std::size_t workspace_bytes,
                                      const void* beta,
                                      cudnnTensorDescriptor_t y_descriptor,
                                      void* y);
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle,
                                             const void* alpha,
                                             cudnnTensorDescriptor_t x_descriptor,
                                             const void* x,
                                             cudnnTensorDescriptor_t dy_descriptor,
                                             const void* dy,
                                             cudnnConvolutionDescriptor_t convolution,
                                             cudnnConvolutionBwdFilterAlgo_t algorithm,
                                             void* workspace,
                                             std::size_t workspace_bytes,
                                             const void* beta,
                                             cudnnFilterDescriptor_t dw_descriptor,
                                             void* dw);
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle,
                                           const void* alpha,
                                           cudnnFilterDescriptor_t w_descriptor,
                                           const void* w,
                                           cudnnTensorDescriptor_t dy_descriptor,
                                           const void* dy,
                                           cudnnConvolutionDescriptor_t convolution,
                                           cudnnConvolutionBwdDataAlgo_t algorithm,
                                           void* workspace,
                                           std::size_t workspace_bytes,
                                           const void* beta,
                                           cudnnTensorDescriptor_t dx_descriptor,
                                           void* dx);

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* dropout);
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropout);
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor,
                                        cudnnHandle_t handle,
                                        float dropout,
                                        void* states,
                                        std::size_t state_bytes,
                                        unsigned long long seed);
cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* cells);
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t cells);
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t cells,
                                       cudnnRNNAlgo_t algorithm,
                                       cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input,
                                       cudnnDataType_t type,
                                       cudnnDataType_t compute,
                                       cudnnMathType_t math,
                                       std::int32_t input_width,
                                       std::int32_t hidden_width,
                                       std::int32_t projected_width,
                                       std::int32_t layers,
                                       cudnnDropoutDescriptor_t dropout,
                                       std::uint32_t flags);
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* data);
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t data);
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data,
                                        cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout,
                                        int longest,
                                        int batch,
                                        int width,
                                        const int lengths[],
                                        void* padding);
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle,
                                         cudnnRNNDescriptor_t cells,
                                         std::size_t* bytes);
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle,
                                        cudnnRNNDescriptor_t cells,
                                        cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t x,
                                        std::size_t* workspace_bytes,
                                        std::size_t* reserve_bytes);
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t handle,
                                      cudnnRNNDescriptor_t cells,
                                      std::int32_t layer,
                                      std::size_t weight_bytes,
                                      const void* weights,
                                      std::int32_t id,
                                      cudnnTensorDescriptor_t matrix_descriptor,
                                      void** matrix,
                                      cudnnTensorDescriptor_t bias_descriptor,
                                      void** bias);
cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle,
                              cudnnRNNDescriptor_t cells,
                              cudnnForwardMode_t mode,
                              const std::int32_t lengths[],
                              cudnnRNNDataDescriptor_t x_descriptor,
                              const void* x,
                              cudnnRNNDataDescriptor_t y_descriptor,
                              void* y,
                              cudnnTensorDescriptor_t h_descriptor,
                              const void* hx,
                              void* hy,
                              cudnnTensorDescriptor_t c_descriptor,
                              const void* cx,
                              void* cy,
                              std::size_t weight_bytes,
                              const void* weights,
                              std::size_t workspace_bytes,
                              void* workspace,
                              std::size_t reserve_bytes,
                              void* reserve);
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle,
                                      cudnnRNNDescriptor_t cells,
                                      const std::int32_t lengths[],
                                      cudnnRNNDataDescriptor_t y_descriptor,
                                      const void* y,
                                      const void* dy,
                                      cudnnRNNDataDescriptor_t x_descriptor,
                                      void* dx,
                                      cudnnTensorDescriptor_t h_descriptor,
                                      const void* hx,
                                      const void* dhy,
                                      void* dhx,
                                      cudnnTensorDescriptor_t c_descriptor,
                                      const void* cx,
                                      const void* dcy,
                                      void* dcx,
                                      std::size_t weight_bytes,
                                      const void* weights,
                                      std::size_t workspace_bytes,
                                      void* workspace,
                                      std::size_t reserve_bytes,
                                      void* reserve);
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle,
                                         cudnnRNNDescriptor_t cells,
                                         cudnnWgradMode_t mode,
                                         const std::int32_t lengths[],
                                         cudnnRNNDataDescriptor_t x_descriptor,
                                         const void* x,
                                         cudnnTensorDescriptor_t h_descriptor,
                                         const void* hx,
                                         cudnnRNNDataDescriptor_t y_descriptor,
                                         const void* y,
                                         std::size_t weight_bytes,
                                         void* dweights,
                                         std::size_t workspace_bytes,
                                         void* workspace,
                                         std::size_t reserve_bytes,
                                         void* reserve);

}  // extern "C"
