#include "workloads/model/shape/padding.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/support/catch.h"
#include "tests/workloads/named_models.h"
#include "tests/workloads/tensors.h"
#include "workloads/model/make_model.h"

using namespace scalestudy;
using test::named_models;

namespace {

std::size_t sum(const std::vector<std::size_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::size_t{0});
}

// No width of these is a multiple of anything.
model::ModelSpec any_odd_model() {
  return GENERATE(
      model::ModelSpec{"", model::MlpSpec{{7, 9, 5, 3}, 0.0}},
      model::ModelSpec{"",
                       model::ResidualSpec{.blocks = {1, 1}, .width = 3, .image = 6, .classes = 5}},
      model::ModelSpec{"", model::RecurrentSpec{false, 3, 5, 4, 3}},
      model::ModelSpec{"", model::RecurrentSpec{true, 3, 5, 4, 3}},
      model::ModelSpec{"", model::TransformerSpec{false, 2, 10, 2, 5, 4}},
      model::ModelSpec{"", model::TransformerSpec{true, 2, 12, 2, 5, 4}});
}

constexpr std::size_t kPoisonedBatch = 2;

// A model whose gradients are computed from parameters with NaN in their padding.
template <typename T>
class Poisoned {
 public:
  explicit Poisoned(const model::ModelSpec& spec)
      : spec_(spec),
        ops_(ops::make_cpu_ops<T>(1)),
        model_(model::make_model<T>(spec, kPoisonedBatch, *ops_, arena_)) {
    model_->initialise(3, ops::Purpose::kStudent);
  }

  std::vector<double> initial() { return values(model_->parameters()); }

  // Gradients that were NaN before.
  std::vector<double> gradients(double padding) {
    poison(padding);
    const model::SampleShape shape = model::sample_shape(spec_);
    std::vector<T> inputs(kPoisonedBatch * shape.input_width);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      inputs[i] = T(0.125F * static_cast<float>(i % 7) - 0.25F);
    }
    const std::vector<std::int32_t> tokens(kPoisonedBatch * shape.input_width, 3);
    const std::vector<std::int32_t> labels(kPoisonedBatch * shape.rows, 1);
    const model::Input<T> input{shape.is_tokens ? nullptr : inputs.data(), tokens.data()};
    const ops::Matrix<T> output = model_->forward(input, {});
    double loss = 0.0;
    ops_->softmax_cross_entropy(output, {labels.data(), shape.output_width}, 1.0, &loss);
    CHECK(std::isfinite(loss));
    std::size_t ready = 0;
    model_->backward(input, [&](std::size_t elements) { ready += elements; });
    CHECK(ready == model_->gradients().size());
    return values(model_->gradients());
  }

 private:
  static std::vector<double> values(std::span<const T> flat) {
    std::vector<double> all;
    for (const T value : flat) {
      all.push_back(static_cast<double>(value));
    }
    return all;
  }

  // Padding inside a tensor is multiplied with, and has to be a number.
  void poison(double padding) {
    const std::vector<std::size_t> elements = model::padded_elements(spec_, sizeof(T));
    std::fill(model_->gradients().begin(),
              model_->gradients().end(),
              T(std::numeric_limits<float>::quiet_NaN()));
    std::vector<bool> is_parameter(sum(elements), false);
    for (const std::size_t place : test::places_of_parameters(spec_, sizeof(T))) {
      is_parameter[place] = true;
    }
    const bool has_inner = std::holds_alternative<model::TransformerSpec>(spec_.shape);
    for (std::size_t i = 0; i < is_parameter.size(); ++i) {
      const bool is_inner =
          has_inner && (i < elements.front() || i >= sum(elements) - elements.back());
      if (!is_parameter[i] && !is_inner) {
        model_->parameters()[i] = T(static_cast<float>(padding));
      }
    }
  }

  model::ModelSpec spec_;
  std::unique_ptr<device::Device> device_ = device::make_cpu_device();
  device::Arena arena_{*device_};
  std::unique_ptr<ops::Ops<T>> ops_;
  std::unique_ptr<model::Model<T>> model_;
};

template <typename T>
std::size_t planned_elements(const model::ModelSpec& spec) {
  const auto planning = device::make_planning_device();
  device::Arena arena(*planning);
  const auto ops = ops::make_cpu_ops<T>(1);
  return model::make_model<T>(spec, 1, *ops, arena)->parameters().size();
}

}  // namespace

TEST_CASE("every tensor of every model begins at a multiple of 128 bytes in every precision",
          "[model]") {
  const model::ModelSpec spec = model::find_model(GENERATE(from_range(named_models())));
  const std::size_t element_bytes = GENERATE(2U, 4U, 8U);
  CAPTURE(spec.name, element_bytes);
  const std::vector<std::size_t> elements = model::tensor_elements(spec);

  const std::vector<std::size_t> padded = model::padded_elements(spec, element_bytes);

  REQUIRE(padded.size() == elements.size());
  CHECK(sum(elements) == model::parameter_count(spec));
  for (std::size_t tensor = 0; tensor < padded.size(); ++tensor) {
    CHECK(padded[tensor] * element_bytes % 128 == 0);
    CHECK(padded[tensor] >= elements[tensor]);
  }
  // A thousandth at most: what travels is what the model has.
  CHECK(static_cast<double>(sum(padded)) <= 1.001 * static_cast<double>(sum(elements)) + 64 * 12);
}

TEST_CASE("every model takes the flat buffers that its padded tensors add up to", "[model]") {
  const model::ModelSpec spec = model::find_model(GENERATE(from_range(named_models())));
  CAPTURE(spec.name);

  CHECK(planned_elements<float>(spec) == sum(model::padded_elements(spec, 4)));
  CHECK(planned_elements<double>(spec) == sum(model::padded_elements(spec, 8)));
  CHECK(planned_elements<device::Bf16>(spec) == sum(model::padded_elements(spec, 2)));
  CHECK(planned_elements<device::Half>(spec) == sum(model::padded_elements(spec, 2)));
}

// 393 * 128: the least multiple of 64 above 50257.
TEST_CASE("a vocabulary is padded inside and counts as the model's own", "[model]") {
  const model::ModelSpec gpt2 = model::find_model("gpt2-124m");

  CHECK(model::padded_elements(gpt2, 4).back() == 50304 * 768);
  CHECK(model::tensor_elements(gpt2).back() == 50257 * 768);
  CHECK(model::sample_shape(gpt2).output_width == 50257);
  CHECK(model::parameter_count(gpt2) == 124'439'808);
}

TEMPLATE_TEST_CASE("backward writes every gradient and no padding, and nothing reads padding",
                   "[model]",
                   float,
                   double,
                   device::Bf16,
                   device::Half) {
  const model::ModelSpec spec = any_odd_model();
  constexpr std::size_t element_bytes = sizeof(TestType);
  Poisoned<TestType> problem(spec);
  const std::vector<double> clean = test::parameters_of(spec, element_bytes, problem.gradients(0));

  const std::vector<double> flat = problem.gradients(std::numeric_limits<double>::quiet_NaN());

  CHECK(test::parameters_of(spec, element_bytes, flat) == clean);  // NaN equals nothing
  std::vector<double> padding = flat;
  for (const std::size_t place : test::places_of_parameters(spec, element_bytes)) {
    padding[place] = 0.0;
  }
  for (const double value : padding) {
    CHECK((std::isnan(value) || value == 0.0));
  }
}

// The same numbers in every layout: initial values do not depend on the element's size.
TEST_CASE("initial values are the model's whatever its padding, and padding is zero", "[model]") {
  const model::ModelSpec spec = any_odd_model();

  const std::vector<double> narrow = Poisoned<float>(spec).initial();
  const std::vector<double> wide = Poisoned<double>(spec).initial();

  const std::vector<double> expected = test::parameters_of(spec, sizeof(double), wide);
  const std::vector<double> found = test::parameters_of(spec, sizeof(float), narrow);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i] == Approx(expected[i]).epsilon(1e-6));
  }
  CHECK(std::count(narrow.begin(), narrow.end(), 0.0) -
            std::count(found.begin(), found.end(), 0.0) ==
        static_cast<std::ptrdiff_t>(narrow.size() - found.size()));
}
