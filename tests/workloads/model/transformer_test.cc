#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/support/catch.h"
#include "tests/workloads/tensors.h"
#include "workloads/model/make_model.h"

using namespace scalestudy;
using test::largest;
using test::number;

namespace {

constexpr std::size_t kTokenBatch = 2;
constexpr std::size_t kVocabulary = 5;

model::ModelSpec small(bool is_llama) {
  return {"",
          model::TransformerSpec{.is_llama = is_llama,
                                 .layers = 2,
                                 .width = 8,
                                 .heads = 2,
                                 .vocabulary = kVocabulary,
                                 .tokens = 4}};
}

// A small model with a batch of tokens, and a loss that can be evaluated anywhere.
template <typename T>
class TokenProblem {
 public:
  explicit TokenProblem(bool is_llama)
      : ops_(ops::make_cpu_ops<T>(1)),
        model_(model::make_model<T>(small(is_llama), kTokenBatch, *ops_, arena_)) {
    model_->initialise(11, ops::Purpose::kStudent);
    // Biases start at zero and other values near it: move everything away.
    std::size_t i = 0;
    for (const std::size_t place : test::places_of_parameters(small(is_llama), sizeof(T))) {
      T& value = model_->parameters()[place];
      value = static_cast<T>(value + static_cast<device::Real<T>>(0.3 * number(i++, 1)));
    }
  }

  double loss() {
    const ops::Matrix<T> logits = model_->forward({.tokens = tokens_.data()}, {});
    double loss = 0.0;
    ops_->softmax_cross_entropy(logits, {labels_.data(), kVocabulary}, 1.0, &loss);
    return loss;
  }

  std::vector<double> gradient(const model::GradientsReady& ready = [](std::size_t) {}) {
    loss();
    model_->backward({.tokens = tokens_.data()}, ready);
    return {model_->gradients().begin(), model_->gradients().end()};
  }

  // d loss along a direction, by central differences of fourth order: rounding then matters less
  // than with two points and a small step.
  double difference(const std::vector<double>& direction) {
    constexpr double h = 1e-4;
    const std::vector<T> origin(model_->parameters().begin(), model_->parameters().end());
    const auto move = [&](double step) {
      for (std::size_t i = 0; i < origin.size(); ++i) {
        model_->parameters()[i] = origin[i] + static_cast<T>(step * direction[i]);
      }
      return loss();
    };
    const double result =
        (8.0 * (move(h) - move(-h)) - (move(2.0 * h) - move(-2.0 * h))) / (12.0 * h);
    move(0.0);
    return result;
  }

  model::Model<T>& model() { return *model_; }
  std::vector<std::int32_t>& tokens() { return tokens_; }

  std::vector<double> logits() {
    const ops::Matrix<T> logits = model_->forward({.tokens = tokens_.data()}, {});
    std::vector<double> all;
    for (std::size_t row = 0; row < logits.rows; ++row) {
      const T* const first = logits.data + row * logits.columns;
      all.insert(all.end(), first, first + kVocabulary);
    }
    return all;
  }

 private:
  std::unique_ptr<device::Device> device_ = device::make_cpu_device();
  device::Arena arena_{*device_};
  std::unique_ptr<ops::Ops<T>> ops_;
  std::unique_ptr<model::Model<T>> model_;
  std::vector<std::int32_t> tokens_ = {0, 3, 1, 1, 2, 4, 3, 1};
  std::vector<std::int32_t> labels_ = {3, 1, 1, 0, 4, 3, 1, 2};
};

}  // namespace

// Up to 20 coordinates of every tensor.
TEST_CASE("gradients of transformers agree with central differences in fp64", "[model]") {
  const bool is_llama = GENERATE(false, true);
  TokenProblem<double> problem(is_llama);
  const std::vector<double> gradient = problem.gradient();
  const double scale = largest(gradient);
  REQUIRE(scale > 0.0);

  double worst = 0.0;
  std::size_t first = 0;
  std::vector<double> direction(gradient.size(), 0.0);
  for (const std::size_t elements : model::padded_elements(small(is_llama), sizeof(double))) {
    const std::size_t stride = std::max<std::size_t>(1, elements / 20);
    for (std::size_t i = first; i < first + elements; i += stride) {
      direction[i] = 1.0;
      const double error = std::abs(gradient[i] - problem.difference(direction));
      direction[i] = 0.0;
      worst = std::max(worst, error / std::max(std::abs(gradient[i]), 1e-3 * scale));
    }
    first += elements;
  }
  CHECK(first == gradient.size());
  CHECK(worst <= 1e-6);
}

TEST_CASE("the gradient of a transformer along a random direction is the difference", "[model]") {
  TokenProblem<double> problem(GENERATE(false, true));
  const std::vector<double> gradient = problem.gradient();
  std::vector<double> direction(gradient.size());
  for (std::size_t i = 0; i < direction.size(); ++i) {
    direction[i] = number(i, 2);
  }

  const double along = std::inner_product(gradient.begin(), gradient.end(), direction.begin(), 0.0);
  CHECK(problem.difference(direction) == Approx(along).epsilon(1e-6));
}

TEST_CASE("a float transformer agrees with the fp64 reference", "[model]") {
  const bool is_llama = GENERATE(false, true);
  const std::vector<double> expected = test::parameters_of(
      small(is_llama), sizeof(double), TokenProblem<double>(is_llama).gradient());
  const std::vector<double> found =
      test::parameters_of(small(is_llama), sizeof(float), TokenProblem<float>(is_llama).gradient());

  double worst = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(found[i] - expected[i]));
  }
  CHECK(worst <= 1e-5 * largest(expected));
}

// From the same parameters, so that all error is made on the way.
TEST_CASE("bf16 gradients of a transformer's tensors agree with the fp64 reference", "[model]") {
  const bool is_llama = GENERATE(false, true);
  TokenProblem<device::Bf16> rounded(is_llama);
  TokenProblem<double> reference(is_llama);
  const auto from = test::places_of_parameters(small(is_llama), 2);
  const auto to = test::places_of_parameters(small(is_llama), sizeof(double));
  for (std::size_t i = 0; i < from.size(); ++i) {
    reference.model().parameters()[to[i]] =
        static_cast<double>(static_cast<float>(rounded.model().parameters()[from[i]]));
  }
  CHECK(rounded.loss() == Approx(reference.loss()).epsilon(2e-3));

  const auto found = test::parameters_of(small(is_llama), 2, rounded.gradient());
  const auto expected = test::parameters_of(small(is_llama), sizeof(double), reference.gradient());

  CHECK(test::worst_tensor_error(small(is_llama), found, expected) <= 0.06);
}

TEST_CASE("a transformer reports its gradients ready in the order of its tensors", "[model]") {
  const bool is_llama = GENERATE(false, true);
  TokenProblem<double> problem(is_llama);
  std::vector<std::size_t> ends = {0};
  std::vector<double> at_report;
  const auto gradients = problem.model().gradients();

  const std::vector<double> final = problem.gradient([&](std::size_t elements) {
    at_report.insert(at_report.end(),
                     gradients.begin() + static_cast<std::ptrdiff_t>(ends.back()),
                     gradients.begin() + static_cast<std::ptrdiff_t>(ends.back() + elements));
    ends.push_back(ends.back() + elements);
  });

  CHECK(ends.back() == gradients.size());
  // What was reported ready was not written again.
  CHECK(at_report == final);
  // No report ends inside a tensor.
  std::vector<std::size_t> tensor_ends = {0};
  for (const std::size_t elements : model::padded_elements(small(is_llama), sizeof(double))) {
    tensor_ends.push_back(tensor_ends.back() + elements);
  }
  CHECK(std::includes(tensor_ends.begin(), tensor_ends.end(), ends.begin(), ends.end()));
}

TEST_CASE("a token's logits do not depend on later tokens", "[model]") {
  TokenProblem<double> problem(GENERATE(false, true));
  const std::vector<double> before = problem.logits();

  problem.tokens()[2] = 4;  // of the first sample's four
  const std::vector<double> after = problem.logits();

  const auto row = [](const std::vector<double>& logits, std::size_t token) {
    const auto first = logits.begin() + static_cast<std::ptrdiff_t>(token * kVocabulary);
    return std::vector<double>(first, first + kVocabulary);
  };
  for (const std::size_t token : {0, 1, 4, 5, 6, 7}) {  // earlier ones, and the other sample
    CHECK(row(before, token) == row(after, token));
  }
  CHECK(row(before, 2) != row(after, 2));
  CHECK(row(before, 3) != row(after, 3));
}

TEST_CASE("the order of earlier tokens matters", "[model]") {
  TokenProblem<double> problem(GENERATE(false, true));
  const std::vector<double> before = problem.logits();

  std::swap(problem.tokens()[0], problem.tokens()[1]);

  constexpr std::size_t last = 3 * kVocabulary;  // of the first sample's four
  CHECK(std::abs(before[last] - problem.logits()[last]) > 1e-6);
}

// With tiny weights all logits are near 0: the loss of V equal chances is ln V a token.
TEST_CASE("an untrained transformer gives all tokens about the same chance", "[model]") {
  TokenProblem<double> problem(GENERATE(false, true));
  problem.model().initialise(11, ops::Purpose::kStudent);

  CHECK(problem.loss() / 8 == Approx(std::log(5.0)).epsilon(0.05));
}
