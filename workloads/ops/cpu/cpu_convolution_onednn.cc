// fp32 and bf16 convolution through oneDNN. Images stay as they are; weights are brought into the
// layout each primitive is fastest with, in scratch memory, every time: 6 % of a ResNet-50's
// products at batch 8.
#include <dnnl.hpp>

#include "workloads/ops/cpu/cpu_images.h"
#include "workloads/ops/cpu/onednn.h"

namespace scalestudy::ops {
namespace {

using Dims = dnnl::memory::dims;
using Tag = dnnl::memory::format_tag;

constexpr std::size_t kPage = 4096;

Dims dims(std::initializer_list<std::size_t> sizes) {
  return {sizes.begin(), sizes.end()};
}

struct Descriptions {
  Descriptions(const ConvolutionShape& shape, dnnl::memory::data_type type)
      : x(dims({shape.batch, shape.channels, shape.height, shape.width}), type, Tag::nhwc),
        y(dims({shape.batch, shape.output_channels, shape.output_height(), shape.output_width()}),
          type,
          Tag::nhwc),
        weights(weight_dims(shape), type, Tag::any),
        plain_weights(weight_dims(shape), type, Tag::ohwi),
        strides(dims({shape.stride, shape.stride})),
        padding(dims({shape.padding, shape.padding})) {}

  static Dims weight_dims(const ConvolutionShape& shape) {
    return dims({shape.output_channels, shape.channels, shape.kernel, shape.kernel});
  }

  dnnl::convolution_forward::primitive_desc forward() const {
    return {dnnl::convolution_forward::desc(dnnl::prop_kind::forward_training,
                                            dnnl::algorithm::convolution_direct,
                                            x,
                                            weights,
                                            y,
                                            strides,
                                            padding,
                                            padding),
            onednn_attributes(),
            onednn_engine()};
  }

  dnnl::convolution_backward_data::primitive_desc backward_input() const {
    return {dnnl::convolution_backward_data::desc(
                dnnl::algorithm::convolution_direct, x, weights, y, strides, padding, padding),
            onednn_attributes(),
            onednn_engine(),
            forward()};
  }

  dnnl::convolution_backward_weights::primitive_desc backward_weights() const {
    return {dnnl::convolution_backward_weights::desc(
                dnnl::algorithm::convolution_direct, x, weights, y, strides, padding, padding),
            onednn_attributes(),
            onednn_engine(),
            forward()};
  }

  dnnl::memory::desc x;
  dnnl::memory::desc y;
  dnnl::memory::desc weights;        // the primitive chooses
  dnnl::memory::desc plain_weights;  // (O, K, K, C)
  Dims strides;
  Dims padding;
};

OnednnPrimitive make_reorder(const dnnl::memory::desc& from, const dnnl::memory::desc& to) {
  const dnnl::reorder::primitive_desc description(
      onednn_engine(), from, onednn_engine(), to, onednn_attributes());
  return {description, {DNNL_ARG_FROM, DNNL_ARG_TO, DNNL_ARG_SCRATCHPAD}};
}

// A convolution and the reorder of its weights, which lie in scratch memory in between. Scratch:
// the weights, then what both primitives need for themselves.
class Direction {
 public:
  Direction(OnednnPrimitive convolution,
            OnednnPrimitive reorder,
            std::size_t weight_bytes,
            device::Arena& arena)
      : convolution_(std::move(convolution)),
        reorder_(std::move(reorder)),
        scratchpad_offset_((weight_bytes + kPage - 1) / kPage * kPage),
        arena_(arena) {
    arena.reserve_scratch(scratchpad_offset_ +
                          std::max(convolution_.scratchpad_bytes(), reorder_.scratchpad_bytes()));
  }

  void reorder_weights(const void* plain) { reorder_.run({plain, weights(), scratchpad()}); }
  // NOLINTNEXTLINE(readability-non-const-parameter): oneDNN writes there
  void reorder_gradients(void* plain) { reorder_.run({weights(), plain, scratchpad()}); }

  // The weights, or their gradients, come second.
  void run(const void* first, const void* third) {
    convolution_.run({first, weights(), third, scratchpad()});
  }

  const std::string& kernel() const { return convolution_.kernel(); }

 private:
  std::byte* weights() { return static_cast<std::byte*>(arena_.scratch()); }
  std::byte* scratchpad() { return weights() + scratchpad_offset_; }

  OnednnPrimitive convolution_;
  OnednnPrimitive reorder_;
  std::size_t scratchpad_offset_;
  device::Arena& arena_;
};

Direction make_forward(const Descriptions& descriptions, device::Arena& arena) {
  const auto description = descriptions.forward();
  return {{description, {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD}},
          make_reorder(descriptions.plain_weights, description.weights_desc()),
          description.weights_desc().get_size(),
          arena};
}

Direction make_backward_weights(const Descriptions& descriptions, device::Arena& arena) {
  const auto description = descriptions.backward_weights();
  return {
      {description, {DNNL_ARG_SRC, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_DST, DNNL_ARG_SCRATCHPAD}},
      make_reorder(description.diff_weights_desc(), descriptions.plain_weights),
      description.diff_weights_desc().get_size(),
      arena};
}

Direction make_backward_input(const Descriptions& descriptions, device::Arena& arena) {
  const auto description = descriptions.backward_input();
  return {
      {description, {DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC, DNNL_ARG_SCRATCHPAD}},
      make_reorder(descriptions.plain_weights, description.weights_desc()),
      description.weights_desc().get_size(),
      arena};
}

template <typename T>
class OnednnConvolution final : public Convolution<T> {
 public:
  OnednnConvolution(const Descriptions& descriptions, device::Arena& arena, Kernels& kernels)
      : forward_(make_forward(descriptions, arena)),
        backward_weights_(make_backward_weights(descriptions, arena)),
        backward_input_(make_backward_input(descriptions, arena)) {
    kernels["convolution"].insert(
        {forward_.kernel(), backward_weights_.kernel(), backward_input_.kernel()});
  }

  void forward(const T* x, const T* weights, T* y) override {
    forward_.reorder_weights(weights);
    forward_.run(x, y);
  }

  void backward_weights(const T* x, const T* dy, T* dweights) override {
    backward_weights_.run(x, dy);
    backward_weights_.reorder_gradients(dweights);
  }

  void backward_input(const T* dy, const T* weights, T* dx) override {
    backward_input_.reorder_weights(weights);
    backward_input_.run(dy, dx);
  }

 private:
  Direction forward_;
  Direction backward_weights_;
  Direction backward_input_;
};

}  // namespace

template <typename T>
std::unique_ptr<Convolution<T>> make_onednn_convolution(const ConvolutionShape& shape,
                                                        device::Arena& arena,
                                                        Kernels& kernels) {
  const auto type = static_cast<dnnl::memory::data_type>(onednn_type(device::kDataType<T>));
  return std::make_unique<OnednnConvolution<T>>(Descriptions(shape, type), arena, kernels);
}

template decltype(make_onednn_convolution<float>) make_onednn_convolution<float>;
template decltype(make_onednn_convolution<device::Bf16>) make_onednn_convolution<device::Bf16>;

}  // namespace scalestudy::ops
