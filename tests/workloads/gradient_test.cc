#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/catch.h"
#include "workloads/model/make_model.h"

using namespace scalestudy;

namespace {

constexpr std::size_t kBatch = 5;

// Three dense layers with dropout, and a loss that can be evaluated anywhere.
class Problem {
 public:
  explicit Problem(bool is_classes)
      : is_classes_(is_classes),
        ops_(ops::make_cpu_ops<double>(1)),
        model_(model::make_model<double>(
            {"", model::MlpSpec{{7, 9, 6, 4}, 0.3}}, kBatch, *ops_, arena_)),
        inputs_(kBatch * 7),
        targets_(kBatch * 4) {
    model_->initialise(11, ops::Purpose::kStudent);
    // Biases start at zero: move everything off it.
    fill(model_->parameters(), 1, 0.1);
    fill(inputs_, 2, 1.0);
    fill(targets_, 3, 1.0);
  }

  double loss(std::uint32_t step = 2) {
    const ops::Matrix<double> output =
        model_->forward({.values = inputs_.data()}, {.seed = 5, .step = step});
    double loss = 0.0;
    if (is_classes_) {
      ops_->softmax_cross_entropy(output, labels_, 1.0, &loss);
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

  // d loss / d parameter by central differences.
  double difference(std::size_t parameter) {
    double& p = model_->parameters()[parameter];
    const double origin = p;
    const double h = 1e-5 * std::max(1.0, std::abs(origin));
    p = origin + h;
    const double above = loss();
    p = origin - h;
    const double below = loss();
    p = origin;
    return (above - below) / (2.0 * h);
  }

  model::Model<double>& model() { return *model_; }
  const double* inputs() const { return inputs_.data(); }

 private:
  static void fill(std::span<double> values, std::uint32_t row, double size) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto counter =
          ops::philox_counter(static_cast<std::uint32_t>(i), row, 0, ops::Purpose::kInput, 9);
      values[i] +=
          size * ops::symmetric_uniform(ops::philox4x32_10(counter, ops::philox_key(1)).word[0]);
    }
  }

  bool is_classes_;
  std::unique_ptr<device::Device> device_ = device::make_cpu_device();
  device::Arena arena_{*device_};
  std::unique_ptr<ops::Ops<double>> ops_;
  std::unique_ptr<model::Model<double>> model_;
  std::vector<double> inputs_;
  std::vector<double> targets_;
  const std::int32_t labels_[kBatch] = {0, 3, 1, 1, 2};
};

}  // namespace

// Every coordinate of every tensor; the seeds keep all units away from the kink of ReLU.
TEST_CASE("gradients agree with central differences in fp64", "[model]") {
  Problem problem(GENERATE(true, false));

  const std::vector<double> gradient = problem.gradient();

  double scale = 0.0;
  for (const double value : gradient) {
    scale = std::max(scale, std::abs(value));
  }
  REQUIRE(scale > 0.0);
  double worst = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double error = std::abs(gradient[i] - problem.difference(i));
    worst = std::max(worst, error / std::max(std::abs(gradient[i]), 1e-3 * scale));
  }
  CHECK(worst <= 1e-6);
}

TEST_CASE("the loss changes with the step's dropout mask and repeats with it", "[model]") {
  Problem problem(false);

  const double loss = problem.loss(2);

  CHECK(problem.loss(3) != loss);
  CHECK(problem.loss(2) == loss);
}

TEST_CASE("gradients are reported ready layer by layer from the last", "[model]") {
  Problem problem(false);
  std::vector<std::size_t> ready;
  problem.loss();

  problem.model().backward({.values = problem.inputs()},
                           [&](std::size_t elements) { ready.push_back(elements); });

  // Last layer first: 6*4+4, 9*6+6, 7*9+9.
  CHECK(ready == std::vector<std::size_t>{28, 60, 72});
}

TEST_CASE("a prefix reported ready is not written again", "[model]") {
  Problem problem(false);
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
