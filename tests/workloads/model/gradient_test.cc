#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/tensors.h"
#include "workloads/model/make_model.h"

using namespace scalestudy;
using test::largest;
using test::number;

namespace {

constexpr std::size_t kValueBatch = 6;

// Three dense layers with dropout.
const model::ModelSpec kMlp = {"", model::MlpSpec{{7, 9, 6, 4}, 0.3}};

// Both stems, blocks with and without a shortcut, ghost batches; and both cells.
model::ModelSpec images_or_sequences() {
  return GENERATE(
      model::ModelSpec{"",
                       model::ResidualSpec{.blocks = {1, 2}, .width = 2, .image = 6, .classes = 4}},
      model::ModelSpec{"",
                       model::ResidualSpec{.has_large_stem = true,
                                           .blocks = {1, 1},
                                           .width = 2,
                                           .image = 12,
                                           .classes = 4,
                                           .ghost_batches = 2}},
      model::ModelSpec{"", model::RecurrentSpec{false, 3, 5, 4, 4}},
      model::ModelSpec{"", model::RecurrentSpec{true, 3, 5, 4, 4}});
}

// A model of values, and a loss that can be evaluated anywhere.
template <typename T>
class ValueProblem {
 public:
  ValueProblem(const model::ModelSpec& spec, bool is_classes)
      : is_classes_(is_classes),
        ops_(ops::make_cpu_ops<T>(1)),
        model_(model::make_model<T>(spec, kValueBatch, *ops_, arena_)),
        inputs_(kValueBatch * model::sample_shape(spec).input_width),
        targets_(kValueBatch * model::sample_shape(spec).output_width) {
    model_->initialise(11, ops::Purpose::kStudent);
    // Biases start at zero: move everything off it.
    move_parameters(spec);
    fill(inputs_, 2, 1.0);
    fill(targets_, 3, 1.0);
  }

  double loss(std::uint32_t step = 2) {
    const ops::Matrix<T> output =
        model_->forward({.values = inputs_.data()}, {.seed = 5, .step = step});
    double loss = 0.0;
    if (is_classes_) {
      ops_->softmax_cross_entropy(output, {labels_, output.columns}, 1.0, &loss);
    } else {
      ops_->mean_squared_error(output, targets_.data(), 1.0, &loss);
    }
    return loss;
  }

  std::vector<double> gradient() {
    loss();
    model_->backward({.values = inputs_.data()}, [](std::size_t) {});
    return {model_->gradients().begin(), model_->gradients().end()};
  }

  // d loss along a direction of the parameters from `first` on, by central differences.
  double difference(std::size_t first, std::span<const double> direction) {
    const std::span<T> parameters = model_->parameters().subspan(first, direction.size());
    const std::vector<double> origin(parameters.begin(), parameters.end());
    const double h = 1e-5 * std::max(1.0, largest(origin));
    const auto loss_at = [&](double distance) {
      for (std::size_t i = 0; i < origin.size(); ++i) {
        parameters[i] = static_cast<T>(origin[i] + distance * direction[i]);
      }
      return loss();
    };
    const double result = (loss_at(h) - loss_at(-h)) / (2.0 * h);
    loss_at(0.0);
    return result;
  }

  // Takes the parameters, inputs and targets of a problem in another type.
  template <typename Other>
  void take(const model::ModelSpec& spec, const ValueProblem<Other>& other) {
    const auto from = test::places_of_parameters(spec, sizeof(Other));
    const auto to = test::places_of_parameters(spec, sizeof(T));
    for (std::size_t i = 0; i < from.size(); ++i) {
      model_->parameters()[to[i]] = static_cast<T>(other.model_->parameters()[from[i]]);
    }
    inputs_.assign(other.inputs_.begin(), other.inputs_.end());
    targets_.assign(other.targets_.begin(), other.targets_.end());
  }

  model::Model<T>& model() { return *model_; }
  const T* inputs() const { return inputs_.data(); }

 private:
  template <typename Other>
  friend class ValueProblem;

  // By the same numbers in every layout.
  void move_parameters(const model::ModelSpec& spec) {
    std::size_t i = 0;
    for (const std::size_t place : test::places_of_parameters(spec, sizeof(T))) {
      T& value = model_->parameters()[place];
      value = static_cast<T>(value + static_cast<device::Real<T>>(0.1 * number(i++, 1)));
    }
  }

  static void fill(std::span<T> values, std::uint32_t row, double size) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<T>(values[i] + static_cast<device::Real<T>>(size * number(i, row)));
    }
  }

  bool is_classes_;
  std::unique_ptr<device::Device> device_ = device::make_cpu_device();
  device::Arena arena_{*device_};
  std::unique_ptr<ops::Ops<T>> ops_;
  std::unique_ptr<model::Model<T>> model_;
  std::vector<T> inputs_;
  std::vector<T> targets_;
  const std::int32_t labels_[kValueBatch] = {0, 3, 1, 1, 2, 0};
};

// Largest relative difference between the gradient and central differences: of every tensor along
// a random direction, and at up to `per_tensor` coordinates.
double worst_error(const model::ModelSpec& spec,
                   ValueProblem<double>& problem,
                   std::size_t per_tensor) {
  const std::vector<double> gradient = problem.gradient();
  const double scale = largest(gradient);
  REQUIRE(scale > 0.0);
  double worst = 0.0;
  const auto compare = [&](std::size_t first, std::span<const double> direction) {
    const double along =
        std::inner_product(direction.begin(), direction.end(), &gradient[first], 0.0);
    const double error = std::abs(along - problem.difference(first, direction));
    worst = std::max(worst, error / std::max(std::abs(along), 1e-3 * scale));
  };
  std::size_t first = 0;
  for (const std::size_t elements : model::padded_elements(spec, sizeof(double))) {
    const std::size_t stride = (elements + per_tensor - 1) / per_tensor;
    for (std::size_t i = first; i < first + elements; i += stride) {
      compare(i, std::vector{1.0});
    }
    std::vector<double> direction(elements);
    for (std::size_t i = 0; i < elements; ++i) {
      direction[i] = number(first + i, 4);
    }
    compare(first, direction);
    first += elements;
  }
  REQUIRE(first == gradient.size());
  return worst;
}

}  // namespace

// Every coordinate; the seeds keep all units away from the kink of ReLU.
TEST_CASE("gradients agree with central differences in fp64", "[model]") {
  ValueProblem<double> problem(kMlp, GENERATE(true, false));

  CHECK(worst_error(kMlp, problem, 1000) <= 1e-6);
}

TEST_CASE("gradients of images and sequences agree with central differences", "[model]") {
  const model::ModelSpec spec = images_or_sequences();
  ValueProblem<double> problem(spec, true);

  CHECK(worst_error(spec, problem, 20) <= 1e-6);
}

TEST_CASE("float gradients agree with the fp64 reference", "[model]") {
  const model::ModelSpec spec = GENERATE(true, false) ? kMlp : images_or_sequences();
  const std::vector<double> expected =
      test::parameters_of(spec, sizeof(double), ValueProblem<double>(spec, true).gradient());
  const std::vector<double> found =
      test::parameters_of(spec, sizeof(float), ValueProblem<float>(spec, true).gradient());

  REQUIRE(found.size() == expected.size());
  double worst = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(found[i] - expected[i]));
  }
  CAPTURE(worst, largest(expected));
  CHECK(worst <= 1e-5 * largest(expected));
}

// From the same parameters and inputs, so that all error is made on the way: the activations and
// gradients between layers are rounded to 8 bits. In a ResNet that turns ReLUs near zero on or off,
// in a chain of them; a gradient with a wrong term would be off by about its own size.
TEST_CASE("bf16 gradients of every tensor agree with the fp64 reference", "[model]") {
  const auto [spec, bound] = GENERATE(table<model::ModelSpec, double>(
      {{kMlp, 0.02},
       {{"", model::RecurrentSpec{false, 3, 5, 4, 4}}, 0.02},
       {{"", model::RecurrentSpec{true, 3, 5, 4, 4}}, 0.02},
       {{"", model::ResidualSpec{.blocks = {1, 1}, .width = 16, .image = 16, .classes = 4}},
        0.3}}));
  ValueProblem<device::Bf16> rounded(spec, true);
  ValueProblem<double> reference(spec, true);
  reference.take(spec, rounded);
  CHECK(rounded.loss() == Approx(reference.loss()).epsilon(2e-3));

  const std::vector<double> found = test::parameters_of(spec, 2, rounded.gradient());
  const std::vector<double> expected = test::parameters_of(spec, 8, reference.gradient());

  CHECK(test::worst_tensor_error(spec, found, expected) <= bound);
}

TEST_CASE("the loss changes with the step's dropout mask and repeats with it", "[model]") {
  ValueProblem<double> problem(kMlp, false);

  const double loss = problem.loss(2);

  CHECK(problem.loss(3) != loss);
  CHECK(problem.loss(2) == loss);
}

TEST_CASE("gradients are reported ready layer by layer from the last", "[model]") {
  ValueProblem<double> problem(kMlp, false);
  std::vector<std::size_t> ready;
  problem.loss();

  problem.model().backward({.values = problem.inputs()},
                           [&](std::size_t elements) { ready.push_back(elements); });

  // Last layer first: 4 and 6*4, 6 and 9*6, 9 and 7*9, each in multiples of 16 doubles.
  CHECK(ready == std::vector<std::size_t>{16 + 32, 16 + 64, 16 + 64});
}

TEST_CASE("a prefix reported ready is not written again", "[model]") {
  ValueProblem<double> problem(kMlp, false);
  std::vector<double> at_report;
  problem.loss();

  problem.model().backward({.values = problem.inputs()}, [&](std::size_t elements) {
    if (at_report.empty()) {
      const auto gradients = problem.model().gradients();
      at_report.assign(gradients.begin(),
                       gradients.begin() + static_cast<std::ptrdiff_t>(elements));
    }
  });

  const auto gradients = problem.model().gradients();
  CHECK(std::equal(at_report.begin(), at_report.end(), gradients.begin()));
}
