#include "workloads/ops/recurrent.h"

#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/cpu_ops.h"
#include "workloads/ops/ops.h"

using namespace scalestudy;
using test::difference;
using test::numbers;

namespace {

template <typename T>
struct Operands {
  std::vector<T> x;
  std::vector<T> weights;
  std::vector<T> dy;
};

template <typename T>
struct Results {
  std::vector<T> y;
  std::vector<T> dweights;
  std::vector<T> dx;
};

// The tensors of a block in which they lie one after the other.
template <typename T>
ops::RecurrentWeights<T> tensors_of(const ops::RecurrentShape& shape, std::vector<T>& block) {
  ops::RecurrentWeights<T> tensors{};
  T* first = block.data();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i] = first;
    first += shape.tensor_elements()[i];
  }
  return tensors;
}

template <typename T>
Operands<T> random_operands(const ops::RecurrentShape& shape) {
  return {numbers<T>(shape.batch * shape.steps * shape.input_width, 1, 0.5),
          numbers<T>(shape.parameter_count(), 2, 0.5),
          numbers<T>(shape.batch * shape.hidden_width, 3, 0.5)};
}

// Runs forward and backward twice, as training steps do.
template <typename T>
Results<T> run(const ops::RecurrentShape& shape, Operands<T> operands, int threads = 1) {
  const auto device = device::make_cpu_device();
  device::Arena arena(*device);
  const auto cpu = ops::make_cpu_ops<T>(threads);
  const auto layer = cpu->make_recurrent(shape, arena);
  Results<T> results{std::vector<T>(operands.dy.size()),
                     std::vector<T>(operands.weights.size()),
                     std::vector<T>(operands.x.size())};
  for (int step = 0; step < 2; ++step) {
    const auto weights = tensors_of(shape, operands.weights);
    layer->forward(operands.x.data(), weights, results.y.data());
    layer->backward(operands.x.data(),
                    weights,
                    operands.dy.data(),
                    tensors_of(shape, results.dweights),
                    results.dx.data());
  }
  return results;
}

// What PyTorch 1.13.1 (Debian 12) computed in float64 for these operands: weights 0.05 ((7 i) mod
// 19 - 9), x 0.1 ((5 i) mod 13 - 6), dy as below; its four tensors one after the other.
struct PytorchCase {
  ops::Cell cell;
  std::vector<double> y;
  std::vector<double> dx;
  double weighted_gradients;  // sum of dweights[i] ((11 i) mod 23 - 11)
};

PytorchCase any_pytorch_case() {
  return GENERATE(
      PytorchCase{ops::Cell::kLstm,
                  {-0.263146675126793, 0.0726638941478993, -0.20382847835422, 0.0858358449959832},
                  {0.0278599642732535,
                   0.0120162676017005,
                   0.0598808285497968,
                   -0.00151446132359613,
                   0.108337351345806,
                   -0.0466511089577724,
                   0.0392536080004511,
                   -0.0593191278728,
                   0.0509547991973717,
                   -0.0789693770347219,
                   0.066457921887736,
                   -0.144722216769241},
                  2.80784765681675},
      PytorchCase{ops::Cell::kGru,
                  {-0.0589698824776188, 0.247677433307904, -0.0264367161329932, 0.380917695437646},
                  {0.047862696794442,
                   0.00291454194426437,
                   0.108035851624488,
                   -0.0287340006250881,
                   0.110726421189463,
                   0.0551794368847327,
                   0.0473397683050421,
                   -0.111742448905625,
                   0.101561854361393,
                   -0.193470366236918,
                   0.261039662944118,
                   -0.356757787521891},
                  6.98972919707231});
}

}  // namespace

TEST_CASE("recurrent layers compute what PyTorch's do, with the same parameters", "[ops]") {
  const PytorchCase expected = any_pytorch_case();
  const ops::RecurrentShape shape{expected.cell, 2, 3, 2, 2};
  Operands<double> operands{std::vector<double>(12),
                            std::vector<double>(shape.parameter_count()),
                            {1.0, -0.5, 0.25, 2.0}};
  for (std::size_t i = 0; i < operands.weights.size(); ++i) {
    operands.weights[i] = 0.05 * (static_cast<double>(7 * i % 19) - 9.0);
  }
  for (std::size_t i = 0; i < operands.x.size(); ++i) {
    operands.x[i] = 0.1 * (static_cast<double>(5 * i % 13) - 6.0);
  }

  const Results<double> found = run(shape, operands);

  CHECK(difference(found.y, expected.y) <= 1e-13);
  CHECK(difference(found.dx, expected.dx) <= 1e-13);
  double weighted = 0.0;
  for (std::size_t i = 0; i < found.dweights.size(); ++i) {
    weighted += found.dweights[i] * (static_cast<double>(11 * i % 23) - 11.0);
  }
  CHECK(weighted == Approx(expected.weighted_gradients).epsilon(1e-13));
}

TEST_CASE("gradients of recurrent layers are central differences", "[ops]") {
  const ops::RecurrentShape shape{GENERATE(ops::Cell::kLstm, ops::Cell::kGru), 3, 4, 2, 5};
  Operands<double> operands = random_operands<double>(shape);
  const Results<double> found = run(shape, operands);
  const auto slope = [&](double& parameter) {
    const double origin = parameter;
    double sides[2] = {};
    for (const int side : {0, 1}) {
      parameter = origin + (side == 0 ? -1e-5 : 1e-5);
      const std::vector<double> y = run(shape, operands).y;
      sides[side] = 0.0;
      for (std::size_t i = 0; i < y.size(); ++i) {
        sides[side] += operands.dy[i] * y[i];
      }
    }
    parameter = origin;
    return (sides[1] - sides[0]) / 2e-5;
  };

  std::vector<double> dweights;
  for (double& weight : operands.weights) {
    dweights.push_back(slope(weight));
  }
  std::vector<double> dx;
  for (double& value : operands.x) {
    dx.push_back(slope(value));
  }

  CHECK(difference(found.dweights, dweights) <= 1e-6);
  CHECK(difference(found.dx, dx) <= 1e-6);
}

TEST_CASE("float recurrent layers agree with double on any number of threads", "[ops]") {
  const ops::RecurrentShape shape{GENERATE(ops::Cell::kLstm, ops::Cell::kGru), 6, 20, 9, 35};

  const Results<double> expected = run(shape, random_operands<double>(shape));

  for (const int threads : {1, 2}) {
    const Results<float> found = run(shape, random_operands<float>(shape), threads);
    CHECK(difference(found.y, expected.y) <= 1e-5);
    CHECK(difference(found.dweights, expected.dweights) <= 1e-5);
    CHECK(difference(found.dx, expected.dx) <= 1e-5);
  }
}

// By hand: the weights of 4 gates, 2 inputs and 3 hidden values, and two biases: 4*3*(2+3+2).
TEST_CASE("a recurrent layer counts both biases", "[ops]") {
  CHECK(ops::RecurrentShape{ops::Cell::kLstm, 1, 1, 2, 3}.parameter_count() == 84);
  CHECK(ops::RecurrentShape{ops::Cell::kGru, 1, 1, 2, 3}.parameter_count() == 63);
}
