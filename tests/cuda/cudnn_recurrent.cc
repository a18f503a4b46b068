// cuDNN's LSTM and GRU by plain loops (recurrent_cells.h).
#include <algorithm>
#include <string>
#include <vector>

#include "tests/cuda/recurrent_cells.h"

namespace {

using namespace scalestudy;
using test::Call;
using test::Kept;
using test::kept_at;
using test::row_of;

cudnnStatus_t finish(const std::string& fault) {
  return fault.empty() ? CUDNN_STATUS_SUCCESS : test::refuse_dnn(fault);
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name,readability-function-size):
// theirs
extern "C" {

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* dropout) {
  return test::create(dropout);
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropout) {
  return test::destroy(dropout);
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t /*descriptor*/,
                                        cudnnHandle_t /*handle*/,
                                        float dropout,
                                        void* /*states*/,
                                        std::size_t /*state_bytes*/,
                                        unsigned long long /*seed*/) {
  return finish(dropout == 0.0F ? "" : "the stand-in's recurrent layers drop nothing");
}
cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* cells) {
  return test::create(cells);
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t cells) {
  return test::destroy(cells);
}
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t cells,
                                       cudnnRNNAlgo_t algorithm,
                                       cudnnRNNMode_t mode,
                                       cudnnRNNBiasMode_t bias,
                                       cudnnDirectionMode_t direction,
                                       cudnnRNNInputMode_t input,
                                       cudnnDataType_t type,
                                       cudnnDataType_t compute,
                                       cudnnMathType_t /*math*/,
                                       std::int32_t input_width,
                                       std::int32_t hidden_width,
                                       std::int32_t projected_width,
                                       std::int32_t layers,
                                       cudnnDropoutDescriptor_t dropout,
                                       std::uint32_t flags) {
  if (algorithm != CUDNN_RNN_ALGO_STANDARD || (mode != CUDNN_LSTM && mode != CUDNN_GRU) ||
      bias != CUDNN_RNN_DOUBLE_BIAS || direction != CUDNN_UNIDIRECTIONAL ||
      input != CUDNN_LINEAR_INPUT || compute != CUDNN_DATA_FLOAT || input_width < 1 ||
      hidden_width < 1 || projected_width != hidden_width || layers != 1 || dropout == nullptr ||
      flags != CUDNN_RNN_PADDED_IO_ENABLED) {
    return test::refuse_dnn("the stand-in has no such cells");
  }
  cells->type = test::type_of(type);
  cells->is_lstm = mode == CUDNN_LSTM;
  cells->inputs = static_cast<std::size_t>(input_width);
  cells->width = static_cast<std::size_t>(hidden_width);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* data) {
  return test::create(data);
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t data) {
  return test::destroy(data);
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data,
                                        cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout,
                                        int longest,
                                        int batch,
                                        int width,
                                        const int lengths[],
                                        void* padding) {
  if (layout != CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED || padding == nullptr ||
      !std::all_of(lengths, lengths + batch, [&](int length) { return length == longest; })) {
    return test::refuse_dnn("the stand-in has no such sequences");
  }
  *data = {test::type_of(type),
           static_cast<std::size_t>(longest),
           static_cast<std::size_t>(batch),
           static_cast<std::size_t>(width)};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t /*handle*/,
                                         cudnnRNNDescriptor_t cells,
                                         std::size_t* bytes) {
  *bytes = cells->weight_bytes();
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t /*handle*/,
                                        cudnnRNNDescriptor_t cells,
                                        cudnnForwardMode_t /*mode*/,
                                        cudnnRNNDataDescriptor_t x,
                                        std::size_t* workspace_bytes,
                                        std::size_t* reserve_bytes) {
  *workspace_bytes = test::kWorkspaceBytes;
  *reserve_bytes = x->rows() * test::kept_count(*cells) * sizeof(float);
  return CUDNN_STATUS_SUCCESS;
}
// Their sizes, which it would write to the descriptors, are known to callers.
cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t /*handle*/,
                                      cudnnRNNDescriptor_t cells,
                                      std::int32_t layer,
                                      std::size_t weight_bytes,
                                      const void* weights,
                                      std::int32_t id,
                                      cudnnTensorDescriptor_t /*matrix_descriptor*/,
                                      void** matrix,
                                      cudnnTensorDescriptor_t /*bias_descriptor*/,
                                      void** bias) {
  const auto number = static_cast<std::size_t>(id);
  if (layer != 0 || number >= 2 * cells->gates() || weight_bytes != cells->weight_bytes()) {
    return test::refuse_dnn("there are no such weights");
  }
  char* const first = static_cast<char*>(const_cast<void*>(weights));
  const std::size_t width = test::element_bytes(cells->type);
  *matrix = first + cells->matrix_at(number) * width;
  *bias = first + cells->bias_at(number) * width;
  return CUDNN_STATUS_SUCCESS;
}

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
                              cudnnTensorDescriptor_t /*c_descriptor*/,
                              const void* cx,
                              void* cy,
                              std::size_t weight_bytes,
                              const void* weights,
                              std::size_t workspace_bytes,
                              void* workspace,
                              std::size_t reserve_bytes,
                              void* reserve) {
  const Call call = {handle,
                     *cells,
                     lengths,
                     {*x_descriptor, x},
                     {*y_descriptor, y},
                     *h_descriptor,
                     {weights, weight_bytes},
                     {workspace, workspace_bytes},
                     {reserve, reserve_bytes}};
  std::string fault = test::fault_in(call);
  if (mode != CUDNN_FWD_MODE_TRAINING || hx != nullptr || cx != nullptr || cy != nullptr ||
      !test::is_on_device(hy, h_descriptor->bytes())) {
    fault = "the stand-in starts from nothing, and keeps the last hidden state alone";
  }
  if (!fault.empty()) {
    return finish(fault);
  }
  for (std::size_t sample = 0; sample < x_descriptor->batch; ++sample) {
    std::vector<double> h(cells->width);
    std::vector<double> c(cells->width);
    for (std::size_t step = 0; step < x_descriptor->steps; ++step) {
      const std::size_t row = call.row(sample, step);
      test::advance(
          call, row_of(x, cells->type, row, cells->inputs), h, c, kept_at(*cells, reserve, row));
      for (std::size_t j = 0; j < cells->width; ++j) {
        test::store(y, cells->type, row * cells->width + j, static_cast<float>(h[j]));
        test::store(hy, cells->type, sample * cells->width + j, static_cast<float>(h[j]));
      }
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

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
                                      cudnnTensorDescriptor_t /*c_descriptor*/,
                                      const void* cx,
                                      const void* dcy,
                                      void* dcx,
                                      std::size_t weight_bytes,
                                      const void* weights,
                                      std::size_t workspace_bytes,
                                      void* workspace,
                                      std::size_t reserve_bytes,
                                      void* reserve) {
  const Call call = {handle,
                     *cells,
                     lengths,
                     {*x_descriptor, dx},
                     {*y_descriptor, y},
                     *h_descriptor,
                     {weights, weight_bytes},
                     {workspace, workspace_bytes},
                     {reserve, reserve_bytes}};
  std::string fault = test::fault_in(call);
  if (hx != nullptr || dhx != nullptr || cx != nullptr || dcy != nullptr || dcx != nullptr ||
      !test::is_on_device(dhy, h_descriptor->bytes()) ||
      !test::is_on_device(dy, y_descriptor->bytes())) {
    fault = "the stand-in goes back from the hidden states alone, to nothing";
  }
  if (!fault.empty()) {
    return finish(fault);
  }
  const std::size_t width = cells->width;
  for (std::size_t sample = 0; sample < x_descriptor->batch; ++sample) {
    std::vector<double> dh = row_of(dhy, cells->type, sample, width);
    std::vector<double> dc(width);
    for (std::size_t step = x_descriptor->steps; step-- > 0;) {
      const std::size_t row = call.row(sample, step);
      const Kept kept = kept_at(*cells, reserve, row);
      const Kept before = kept_at(*cells, reserve, row - (step > 0 ? 1 : 0));
      const std::vector<double> h_before =
          row_of(step > 0 ? y : nullptr, cells->type, row - (step > 0 ? 1 : 0), width);
      const std::vector<double> given = row_of(dy, cells->type, row, width);
      for (std::size_t j = 0; j < width; ++j) {
        dh[j] += given[j];
        test::step_back(
            *cells, j, h_before[j], step > 0 ? before.cell[j] : 0.0, dh[j], dc[j], kept);
      }
      std::vector<double> of_input(cells->inputs);
      for (std::size_t gate = 0; gate < cells->gates(); ++gate) {
        test::add_transposed(call, gate, kept.dinput + gate * width, of_input);
        test::add_transposed(call, cells->gates() + gate, kept.drecurrent + gate * width, dh);
      }
      for (std::size_t i = 0; i < cells->inputs; ++i) {
        test::store(dx, cells->type, row * cells->inputs + i, static_cast<float>(of_input[i]));
      }
    }
  }
  return CUDNN_STATUS_SUCCESS;
}

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
                                         void* reserve) {
  const Call call = {handle,
                     *cells,
                     lengths,
                     {*x_descriptor, x},
                     {*y_descriptor, y},
                     *h_descriptor,
                     {dweights, weight_bytes},
                     {workspace, workspace_bytes},
                     {reserve, reserve_bytes}};
  std::string fault = test::fault_in(call);
  if (mode != CUDNN_WGRAD_MODE_ADD || hx != nullptr) {
    fault = "gradients are added to those that are there";
  }
  if (!fault.empty()) {
    return finish(fault);
  }
  const std::size_t width = cells->width;
  std::vector<double> sums(weight_bytes / test::element_bytes(cells->type));
  for (std::size_t row = 0; row < x_descriptor->rows(); ++row) {
    const bool is_first = row % x_descriptor->steps == 0;
    const Kept kept = kept_at(*cells, reserve, row);
    const std::vector<double> input = row_of(x, cells->type, row, cells->inputs);
    const std::vector<double> state =
        row_of(is_first ? nullptr : y, cells->type, row - (is_first ? 0 : 1), width);
    for (std::size_t id = 0; id < 2 * cells->gates(); ++id) {
      const bool is_input = id < cells->gates();
      const float* const gradient =
          is_input ? kept.dinput + id * width : kept.drecurrent + (id - cells->gates()) * width;
      const std::vector<double>& factor = is_input ? input : state;
      for (std::size_t j = 0; j < width; ++j) {
        sums[cells->bias_at(id) + j] += gradient[j];
        for (std::size_t i = 0; i < factor.size(); ++i) {
          sums[cells->matrix_at(id) + j * factor.size() + i] += gradient[j] * factor[i];
        }
      }
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float before = test::load(dweights, cells->type, i);
    test::store(dweights, cells->type, i, static_cast<float>(before + sums[i]));
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name,readability-function-size)
