// LSTM and GRU: one product for the inputs of all steps, one a step for the hidden state, and loops
// for the cells. Own loops, because they are faster than oneDNN's RNN primitive (1.4 times at batch
// 32) and keep both biases.
#include "workloads/ops/cpu/cpu_recurrent.h"

#include <algorithm>

#include "workloads/ops/cpu/cpu_loops.h"

namespace scalestudy::ops {
namespace {

using device::Real;

template <typename R>
SCALESTUDY_HOST_DEVICE inline R sigmoid(R x) {
  return R{1} / (R{1} + exponential(-x));
}
// Absolute error of a rounding of 1, unlike std::tanh(); it vectorises.
template <typename R>
SCALESTUDY_HOST_DEVICE inline R hyperbolic_tangent(R x) {
  return R{2} * sigmoid(R{2} * x) - R{1};
}

// One sample's row of one step. Gates lie in PyTorch's order, h elements each.
// source: the equations of torch.nn.LSTM and torch.nn.GRU, and their derivatives.

// gates  in: W x + b; out: activated.   recurrent: R h + b of the step before.
template <typename T>
SCALESTUDY_VECTORISED void lstm_forward(std::size_t h,
                                        const T* recurrent,
                                        const Real<T>* cell_before,
                                        T* gates,
                                        Real<T>* cell,
                                        T* hidden) {
#pragma omp simd
  for (std::size_t j = 0; j < h; ++j) {
    const auto input = sigmoid<Real<T>>(gates[j] + recurrent[j]);
    const auto forget = sigmoid<Real<T>>(gates[h + j] + recurrent[h + j]);
    const auto update = hyperbolic_tangent<Real<T>>(gates[2 * h + j] + recurrent[2 * h + j]);
    const auto output = sigmoid<Real<T>>(gates[3 * h + j] + recurrent[3 * h + j]);
    const Real<T> state = forget * cell_before[j] + input * update;
    gates[j] = device::rounded<T>(input);
    gates[h + j] = device::rounded<T>(forget);
    gates[2 * h + j] = device::rounded<T>(update);
    gates[3 * h + j] = device::rounded<T>(output);
    cell[j] = state;
    hidden[j] = device::rounded<T>(output * hyperbolic_tangent(state));
  }
}

// gates  in: activated; out: gradients before activation.
// dcell  in: what later steps say; out: what this one says to the step before.
template <typename T>
SCALESTUDY_VECTORISED void lstm_backward(std::size_t h,
                                         const T* dhidden,
                                         const Real<T>* cell_before,
                                         const Real<T>* cell,
                                         T* gates,
                                         Real<T>* dcell) {
#pragma omp simd
  for (std::size_t j = 0; j < h; ++j) {
    const Real<T> input = gates[j];
    const Real<T> forget = gates[h + j];
    const Real<T> update = gates[2 * h + j];
    const Real<T> output = gates[3 * h + j];
    const auto squashed = hyperbolic_tangent(cell[j]);
    const Real<T> dstate = dcell[j] + dhidden[j] * output * (1 - squashed * squashed);
    gates[j] = device::rounded<T>(dstate * update * input * (1 - input));
    gates[h + j] = device::rounded<T>(dstate * cell_before[j] * forget * (1 - forget));
    gates[2 * h + j] = device::rounded<T>(dstate * input * (1 - update * update));
    gates[3 * h + j] = device::rounded<T>(dhidden[j] * squashed * output * (1 - output));
    dcell[j] = dstate * forget;
  }
}

// recurrent keeps its new gate for backward.
template <typename T>
SCALESTUDY_VECTORISED void gru_forward(
    std::size_t h, const T* recurrent, const T* hidden_before, T* gates, T* hidden) {
#pragma omp simd
  for (std::size_t j = 0; j < h; ++j) {
    const auto reset = sigmoid<Real<T>>(gates[j] + recurrent[j]);
    const auto keep = sigmoid<Real<T>>(gates[h + j] + recurrent[h + j]);
    const auto update =
        hyperbolic_tangent<Real<T>>(gates[2 * h + j] + reset * recurrent[2 * h + j]);
    gates[j] = device::rounded<T>(reset);
    gates[h + j] = device::rounded<T>(keep);
    gates[2 * h + j] = device::rounded<T>(update);
    hidden[j] = device::rounded<T>((1 - keep) * update + keep * hidden_before[j]);
  }
}

// recurrent  in: as gru_forward() kept it; out: its gradients.
// dhidden    in: of this step; out: of the step before, without the product with R.
template <typename T>
SCALESTUDY_VECTORISED void gru_backward(
    std::size_t h, const T* hidden_before, T* gates, T* recurrent, T* dhidden) {
#pragma omp simd
  for (std::size_t j = 0; j < h; ++j) {
    const Real<T> reset = gates[j];
    const Real<T> keep = gates[h + j];
    const Real<T> update = gates[2 * h + j];
    const Real<T> dupdate = dhidden[j] * (1 - keep) * (1 - update * update);
    const Real<T> dreset = dupdate * recurrent[2 * h + j] * reset * (1 - reset);
    const Real<T> dkeep = dhidden[j] * (hidden_before[j] - update) * keep * (1 - keep);
    gates[j] = device::rounded<T>(dreset);
    gates[h + j] = device::rounded<T>(dkeep);
    gates[2 * h + j] = device::rounded<T>(dupdate);
    recurrent[j] = device::rounded<T>(dreset);
    recurrent[h + j] = device::rounded<T>(dkeep);
    recurrent[2 * h + j] = device::rounded<T>(dupdate * reset);
    dhidden[j] = device::rounded<T>(dhidden[j] * keep);
  }
}

// y (b, a, width) = x (a, b, width).
template <typename T>
void swap_rows(const T* x, std::size_t a, std::size_t b, std::size_t width, T* y) {
  for (std::size_t i = 0; i < a; ++i) {
    for (std::size_t j = 0; j < b; ++j) {
      std::copy_n(x + (i * b + j) * width, width, y + (j * a + i) * width);
    }
  }
}

// y (columns, rows) = the transpose of x (rows, columns), in tiles that the cache holds.
template <typename T>
void transpose(const T* x, std::size_t rows, std::size_t columns, T* y) {
  constexpr std::size_t tile = 16;
  for (std::size_t row = 0; row < rows; row += tile) {
    for (std::size_t column = 0; column < columns; column += tile) {
      for (std::size_t i = row; i < std::min(row + tile, rows); ++i) {
        for (std::size_t j = column; j < std::min(column + tile, columns); ++j) {
          y[j * rows + i] = x[i * columns + j];
        }
      }
    }
  }
}

// Step-major inside: row t * B + b is sample b at step t.
template <typename T>
class CpuRecurrent final : public Recurrent<T> {
 public:
  CpuRecurrent(const RecurrentShape& shape, int threads, Ops<T>& ops, device::Arena& arena)
      : shape_(shape),
        threads_(threads),
        ops_(ops),
        inputs_(arena.take<T>(rows() * shape.input_width).data()),
        gates_(arena.take<T>(rows() * gates_width()).data()),
        recurrent_(arena.take<T>((is_lstm() ? shape.batch : rows()) * gates_width()).data()),
        hidden_(arena.take<T>((rows() + shape.batch) * shape.hidden_width).data()),
        dhidden_(arena.take<T>(shape.batch * shape.hidden_width).data()),
        turned_weights_(arena.take<T>(shape.hidden_width * gates_width()).data()),
        input_product_(ops.make_matmul({.m = rows(),
                                        .n = gates_width(),
                                        .k = shape.input_width,
                                        .b_transposed = true,
                                        .has_bias = true},
                                       arena)),
        hidden_product_(ops.make_matmul(
            {.m = shape.batch, .n = gates_width(), .k = shape.hidden_width, .has_bias = true},
            arena)),
        dhidden_product_(ops.make_matmul(
            {.m = shape.batch, .n = shape.hidden_width, .k = gates_width()}, arena)),
        dinput_product_(
            ops.make_matmul({.m = rows(), .n = shape.input_width, .k = gates_width()}, arena)),
        input_weight_gradient_(ops.make_matmul(
            {.m = gates_width(), .n = shape.input_width, .k = rows(), .a_transposed = true},
            arena)),
        hidden_weight_gradient_(ops.make_matmul(
            {.m = gates_width(), .n = shape.hidden_width, .k = rows(), .a_transposed = true},
            arena)) {
    if (is_lstm()) {
      cell_ = arena.take<Real<T>>((rows() + shape.batch) * shape.hidden_width).data();
      dcell_ = arena.take<Real<T>>(shape.batch * shape.hidden_width).data();
    } else {
      product_ = arena.take<T>(shape.batch * shape.hidden_width).data();
    }
  }

  void forward(const T* x, const RecurrentWeights<T>& weights, T* y) override {
    const auto& [input_weights, hidden_weights, input_bias, hidden_bias] = weights;
    swap_rows(x, shape_.batch, shape_.steps, shape_.input_width, inputs_);
    input_product_->run(inputs_, input_weights, input_bias, gates_);
    // Once, where a product would turn them in every step (4 % of an LSTM's time).
    transpose(hidden_weights, gates_width(), shape_.hidden_width, turned_weights_);
    for (std::size_t step = 0; step < shape_.steps; ++step) {
      T* recurrent = is_lstm() ? recurrent_ : recurrent_ + step * gate_block();
      hidden_product_->run(
          hidden_ + step * hidden_block(), turned_weights_, hidden_bias, recurrent);
      for_samples([&](std::size_t b) {
        const std::size_t h = shape_.hidden_width;
        T* gates = gates_ + step * gate_block() + b * gates_width();
        const std::size_t before = step * hidden_block() + b * h;
        const std::size_t after = before + hidden_block();
        if (is_lstm()) {
          lstm_forward(h,
                       recurrent + b * gates_width(),
                       cell_ + before,
                       gates,
                       cell_ + after,
                       hidden_ + after);
        } else {
          gru_forward(h, recurrent + b * gates_width(), hidden_ + before, gates, hidden_ + after);
        }
      });
    }
    std::copy_n(hidden_ + shape_.steps * hidden_block(), hidden_block(), y);
  }

  void backward(const T*,
                const RecurrentWeights<T>& weights,
                const T* dy,
                const RecurrentWeights<T>& dweights,
                T* dx) override {
    const T* const input_weights = weights[0];
    const T* const hidden_weights = weights[1];
    std::copy_n(dy, hidden_block(), dhidden_);
    if (is_lstm()) {
      std::fill_n(dcell_, hidden_block(), Real<T>(0));
    }
    for (std::size_t step = shape_.steps; step-- > 0;) {
      for_samples([&](std::size_t b) { backward_cell(step, b); });
      if (step > 0) {
        propagate(step, hidden_weights);
      }
    }
    const auto& [dinput_weights, dhidden_weights, dinput_bias, dhidden_bias] = dweights;
    input_weight_gradient_->run(gates_, inputs_, nullptr, dinput_weights);
    hidden_weight_gradient_->run(hidden_gradients(), hidden_, nullptr, dhidden_weights);
    ops_.column_sums({gates_, rows(), gates_width()}, dinput_bias);
    if (is_lstm()) {  // the same gradients
      std::copy_n(dinput_bias, gates_width(), dhidden_bias);
    } else {
      ops_.column_sums({recurrent_, rows(), gates_width()}, dhidden_bias);
    }
    if (dx != nullptr) {
      dinput_product_->run(gates_, input_weights, nullptr, inputs_);
      swap_rows(inputs_, shape_.steps, shape_.batch, shape_.input_width, dx);
    }
  }

 private:
  bool is_lstm() const { return shape_.cell == Cell::kLstm; }
  std::size_t rows() const { return shape_.steps * shape_.batch; }
  std::size_t gates_width() const { return shape_.gates() * shape_.hidden_width; }
  // Elements of one step.
  std::size_t gate_block() const { return shape_.batch * gates_width(); }
  std::size_t hidden_block() const { return shape_.batch * shape_.hidden_width; }
  // Gradients of R h + b of every step; of an LSTM they are those of W x + b.
  T* hidden_gradients() const { return is_lstm() ? gates_ : recurrent_; }

  template <typename Work>
  void for_samples(const Work& work) const {
    for_parts(threads_, shape_.batch, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        work(b);
      }
    });
  }

  void backward_cell(std::size_t step, std::size_t b) {
    const std::size_t h = shape_.hidden_width;
    T* gates = gates_ + step * gate_block() + b * gates_width();
    const std::size_t before = step * hidden_block() + b * h;
    if (is_lstm()) {
      lstm_backward(h,
                    dhidden_ + b * h,
                    cell_ + before,
                    cell_ + before + hidden_block(),
                    gates,
                    dcell_ + b * h);
    } else {
      gru_backward(h,
                   hidden_ + before,
                   gates,
                   recurrent_ + step * gate_block() + b * gates_width(),
                   dhidden_ + b * h);
    }
  }

  // dhidden_ becomes that of the step before.
  void propagate(std::size_t step, const T* hidden_weights) {
    const T* gradients = hidden_gradients() + step * gate_block();
    if (is_lstm()) {
      dhidden_product_->run(gradients, hidden_weights, nullptr, dhidden_);
    } else {
      dhidden_product_->run(gradients, hidden_weights, nullptr, product_);
      ops_.add({dhidden_, hidden_block()}, product_);
    }
  }

  RecurrentShape shape_;
  int threads_;
  Ops<T>& ops_;
  T* inputs_;                 // (steps, B, input_width)
  T* gates_;                  // (steps, B, gates * h): activated, then gradients
  T* recurrent_;              // R h + b: (B, gates * h), of a GRU (steps, B, gates * h)
  T* hidden_;                 // (steps + 1, B, h), from the first, zero
  Real<T>* cell_ = nullptr;   // (steps + 1, B, h), LSTM
  T* dhidden_;                // (B, h)
  T* turned_weights_;         // (h, gates * h), hidden weights transposed
  Real<T>* dcell_ = nullptr;  // (B, h), LSTM
  T* product_ = nullptr;      // (B, h), GRU
  std::unique_ptr<Matmul<T>> input_product_;
  std::unique_ptr<Matmul<T>> hidden_product_;
  std::unique_ptr<Matmul<T>> dhidden_product_;
  std::unique_ptr<Matmul<T>> dinput_product_;
  std::unique_ptr<Matmul<T>> input_weight_gradient_;
  std::unique_ptr<Matmul<T>> hidden_weight_gradient_;
};

}  // namespace

template <typename T>
std::unique_ptr<Recurrent<T>> make_cpu_recurrent(const RecurrentShape& shape,
                                                 int threads,
                                                 Ops<T>& ops,
                                                 device::Arena& arena) {
  return std::make_unique<CpuRecurrent<T>>(shape, threads, ops, arena);
}

template decltype(make_cpu_recurrent<float>) make_cpu_recurrent<float>;
template decltype(make_cpu_recurrent<double>) make_cpu_recurrent<double>;
template decltype(make_cpu_recurrent<device::Bf16>) make_cpu_recurrent<device::Bf16>;
template decltype(make_cpu_recurrent<device::Half>) make_cpu_recurrent<device::Half>;

}  // namespace scalestudy::ops
