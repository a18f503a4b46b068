// Batch normalisation: sums over the rows of a group, then one pass over its elements.
#include "workloads/ops/cuda/cuda_columns.cuh"
#include "workloads/ops/cuda/cuda_prepared.h"
#include "workloads/ops/elementwise_batch_norm.h"

namespace scalestudy::ops {
namespace {

// Of one channel of one group, and over all of them.
struct ChannelStatistics {
  float mean;
  float inverse_deviation;
};

// dy = 0 where the ReLU was off, and what backward needs to know of a channel.
struct ChannelGradients {
  float sum;
  float product_sum;
};

template <typename T>
class CudaBatchNorm final : public BatchNorm<T> {
 public:
  CudaBatchNorm(const BatchNormShape& shape, const Launch& launch, device::Arena& arena)
      : shape_(shape),
        launch_(launch),
        group_rows_(shape.rows / shape.groups),
        statistics_(arena.take<ChannelStatistics>(shape.groups * shape.channels).data()),
        gradients_(arena.take<ChannelGradients>(shape.channels).data()),
        running_mean_(arena.take<float>(shape.channels).data()),
        running_variance_(arena.take<float>(shape.channels).data()) {
    start_running();
  }

  // nvcc takes no device lambda inside a constructor, nor in a private function.
  void start_running() {
    float* const variance = running_variance_;
    for_each(
        shape_.channels, [=] __device__(std::size_t c) { variance[c] = 1.0F; }, launch_.stream);
  }

  void forward(const T* x,
               const T* residual,
               const T* scale,
               const T* shift,
               T* y,
               bool is_training) override {
    for (std::size_t group = 0; group < shape_.groups; ++group) {
      const std::size_t first = group * group_rows_ * shape_.channels;
      ChannelStatistics* const statistics = statistics_ + group * shape_.channels;
      if (is_training) {
        measure(x + first, statistics, group == 0);
      } else {
        recall(statistics);
      }
      normalise(x + first,
                residual == nullptr ? nullptr : residual + first,
                scale,
                shift,
                y + first,
                statistics);
    }
  }

  void backward(
      const T* x, const T* y, const T* scale, T* dy, T* dscale, T* dshift, T* dx) override {
    for (std::size_t group = 0; group < shape_.groups; ++group) {
      const std::size_t first = group * group_rows_ * shape_.channels;
      const ChannelStatistics* const statistics = statistics_ + group * shape_.channels;
      sum_gradients(x + first, y + first, dy + first, dscale, dshift, statistics, group == 0);
      propagate(x + first, scale, dy + first, dx + first, statistics);
    }
  }

  // Mean and deviation of one group; its share of the running statistics, of which the first group
  // takes away what is forgotten.
  void measure(const T* x, ChannelStatistics* statistics, bool is_first) {
    const std::size_t channels = shape_.channels;
    // With an origin inside the data nothing cancels in the variance.
    // source: Chan, Golub, LeVeque, The American Statistician 37(3), 1983, equation 1.7.
    const auto term = [=] __device__(std::size_t row, std::size_t c, ColumnSums<2> & sums) {
      const float value = static_cast<float>(x[row * channels + c]) - static_cast<float>(x[c]);
      sums.value[0] += value;
      sums.value[1] += value * value;
    };
    const auto count = static_cast<float>(group_rows_);
    const auto epsilon = static_cast<float>(shape_.epsilon);
    const auto kept = static_cast<float>(is_first ? 1.0 - shape_.momentum : 1.0);
    const auto share = static_cast<float>(shape_.momentum / static_cast<double>(shape_.groups));
    float* const running_mean = running_mean_;
    float* const running_variance = running_variance_;
    const auto result = [=] __device__(std::size_t c, const ColumnSums<2>& sums) {
      const float shifted_mean = sums.value[0] / count;
      const float mean = static_cast<float>(x[c]) + shifted_mean;
      const float variance = at_least_zero(sums.value[1] / count - shifted_mean * shifted_mean);
      const float unbiased = count > 1.0F ? variance * (count / (count - 1.0F)) : variance;
      statistics[c] = {mean, 1.0F / sqrtf(variance + epsilon)};
      running_mean[c] = kept * running_mean[c] + share * mean;
      running_variance[c] = kept * running_variance[c] + share * unbiased;
    };
    sum_columns<2>(group_rows_, channels, term, result, launch_.scratch, launch_.stream);
  }

  // The running statistics in place of a group's own.
  void recall(ChannelStatistics* statistics) {
    const float* const mean = running_mean_;
    const float* const variance = running_variance_;
    const auto epsilon = static_cast<float>(shape_.epsilon);
    for_each(
        shape_.channels,
        [=] __device__(std::size_t c) {
          statistics[c] = {mean[c], 1.0F / sqrtf(variance[c] + epsilon)};
        },
        launch_.stream);
  }

  void normalise(const T* x,
                 const T* residual,
                 const T* scale,
                 const T* shift,
                 T* y,
                 const ChannelStatistics* statistics) {
    const std::size_t channels = shape_.channels;
    const bool has_relu = shape_.has_relu;
    for_each_cell(
        group_rows_,
        channels,
        [=] __device__(std::size_t row, std::size_t c) {
          const std::size_t i = row * channels + c;
          const BatchNormForward<float> channel(
              statistics[c].mean, statistics[c].inverse_deviation, scale[c], shift[c]);
          float value = channel.factor * static_cast<float>(x[i]) + channel.offset;
          if (residual != nullptr) {
            value += static_cast<float>(residual[i]);
          }
          y[i] = T(has_relu ? at_least_zero(value) : value);
        },
        launch_.stream);
  }

  void sum_gradients(const T* x,
                     const T* y,
                     T* dy,
                     T* dscale,
                     T* dshift,
                     const ChannelStatistics* statistics,
                     bool is_first) {
    const std::size_t channels = shape_.channels;
    const bool has_relu = shape_.has_relu;
    const auto term = [=] __device__(std::size_t row, std::size_t c, ColumnSums<2> & sums) {
      const std::size_t i = row * channels + c;
      if (has_relu && static_cast<float>(y[i]) <= 0.0F) {
        dy[i] = T(0.0F);
        return;
      }
      const float gradient = dy[i];
      sums.value[0] += gradient;
      sums.value[1] += gradient * (static_cast<float>(x[i]) - statistics[c].mean);
    };
    ChannelGradients* const gradients = gradients_;
    const auto result = [=] __device__(std::size_t c, const ColumnSums<2>& sums) {
      gradients[c] = {sums.value[0], sums.value[1]};
      const float scale_before = is_first ? 0.0F : static_cast<float>(dscale[c]);
      const float shift_before = is_first ? 0.0F : static_cast<float>(dshift[c]);
      dscale[c] = T(scale_before + sums.value[1] * statistics[c].inverse_deviation);
      dshift[c] = T(shift_before + sums.value[0]);
    };
    sum_columns<2>(group_rows_, channels, term, result, launch_.scratch, launch_.stream);
  }

  void propagate(
      const T* x, const T* scale, const T* dy, T* dx, const ChannelStatistics* statistics) {
    const std::size_t channels = shape_.channels;
    const auto count = static_cast<float>(group_rows_);
    const ChannelGradients* const gradients = gradients_;
    for_each_cell(
        group_rows_,
        channels,
        [=] __device__(std::size_t row, std::size_t c) {
          const std::size_t i = row * channels + c;
          const BatchNormBackward<float> channel(statistics[c].inverse_deviation,
                                                 scale[c],
                                                 gradients[c].sum,
                                                 gradients[c].product_sum,
                                                 count);
          const float value = static_cast<float>(x[i]) - statistics[c].mean;
          dx[i] = T(channel.factor * static_cast<float>(dy[i]) - channel.slope * value -
                    channel.offset);
        },
        launch_.stream);
  }

 private:
  BatchNormShape shape_;
  Launch launch_;
  std::size_t group_rows_;
  ChannelStatistics* statistics_;  // (groups, channels), of the last forward
  ChannelGradients* gradients_;    // (channels), of the group at hand
  float* running_mean_;            // (channels)
  float* running_variance_;        // (channels)
};

}  // namespace

template <typename T>
std::unique_ptr<BatchNorm<T>> make_cuda_batch_norm(const BatchNormShape& shape,
                                                   const Launch& launch,
                                                   device::Arena& arena) {
  return std::make_unique<CudaBatchNorm<T>>(shape, launch, arena);
}

template decltype(make_cuda_batch_norm<float>) make_cuda_batch_norm<float>;
template decltype(make_cuda_batch_norm<device::Bf16>) make_cuda_batch_norm<device::Bf16>;
template decltype(make_cuda_batch_norm<device::Half>) make_cuda_batch_norm<device::Half>;

}  // namespace scalestudy::ops
