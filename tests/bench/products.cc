// A training step of an MLP against what it cannot do without, on one core: its matrix products,
// and the bytes of its update at the bandwidth that a sum of three arrays of their size reaches.
// All in the same process, in turn, each round begun by another.
#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/training.h"
#include "workloads/device/arena.h"
#include "workloads/model/shape/zoo.h"
#include "workloads/ops/cpu/cpu_loops.h"
#include "workloads/ops/ops.h"
#include "workloads/rank/program.h"
#include "workloads/train/step/trainer.h"

namespace {

using namespace scalestudy;

constexpr std::size_t kRounds = 12;
constexpr std::size_t kWarmup = 3;

// Forward, and both gradients of every layer but the first, whose input needs none.
class Products {
 public:
  Products(const std::vector<std::size_t>& widths, std::size_t batch)
      : device_(device::make_cpu_device()), arena_(*device_), ops_(ops::make_cpu_ops<float>(1)) {
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
      const std::size_t in = widths[i];
      const std::size_t out = widths[i + 1];
      add({.m = batch, .n = out, .k = in, .has_bias = true});
      add({.m = in, .n = out, .k = batch, .a_transposed = true});
      if (i > 0) {
        add({.m = batch, .n = in, .k = out, .b_transposed = true});
      }
    }
    arena_.seal();
  }

  void run() {
    for (const Product& product : products_) {
      product.matmul->run(product.a, product.b, product.bias, product.c);
    }
  }

 private:
  struct Product {
    std::unique_ptr<ops::Matmul<float>> matmul;
    const float* a;
    const float* b;
    const float* bias;
    float* c;
  };

  void add(const ops::MatmulShape& shape) {
    products_.push_back({ops_->make_matmul(shape, arena_),
                         arena_.take<float>(shape.m * shape.k).data(),
                         arena_.take<float>(shape.k * shape.n).data(),
                         shape.has_bias ? arena_.take<float>(shape.n).data() : nullptr,
                         arena_.take<float>(shape.m * shape.n).data()});
  }

  std::unique_ptr<device::Device> device_;
  device::Arena arena_;
  std::unique_ptr<ops::Ops<float>> ops_;
  std::vector<Product> products_;
};

// The least work that reads and writes what an SGD step with momentum does.
SCALESTUDY_VECTORISED void touch_update(std::span<float> parameters,
                                        std::span<float> velocity,
                                        std::span<const float> gradients) {
  float* p = parameters.data();
  float* v = velocity.data();
  const float* g = gradients.data();
#pragma omp simd
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    v[i] += g[i];
    p[i] += v[i];
  }
}

class UpdateBytes {
 public:
  explicit UpdateBytes(std::size_t count) : device_(device::make_cpu_device()), arena_(*device_) {
    for (std::span<float>& array : arrays_) {
      array = arena_.take<float>(count);
    }
  }

  void run() { touch_update(arrays_[0], arrays_[1], arrays_[2]); }

 private:
  std::unique_ptr<device::Device> device_;
  device::Arena arena_;
  std::array<std::span<float>, 3> arrays_;
};

train::Options options_of(const std::string& model,
                          const std::string& batch,
                          const rank::World& world) {
  return train::make_options(train::complete(train::merge({},
                                                          {{"model", model},
                                                           {"batch_per_device", batch},
                                                           {"loss", "mse"},
                                                           {"timing", "light"},
                                                           {"warmup_steps", "0"},
                                                           {"measured_steps", "100"}}),
                                             world.size()));
}

void compare(const std::string& model, const std::string& batch, const rank::World& world) {
  const train::Options options = options_of(model, batch, world);
  const auto trainer = train::make_trainer(options, world);
  Products products(std::get<model::MlpSpec>(options.model.shape).widths, options.batch_per_device);
  UpdateBytes update(model::parameter_count(options.model));
  std::size_t round = 0;
  const std::array<std::function<void()>, 3> work = {
      [&] { trainer->step(round); }, [&] { products.run(); }, [&] { update.run(); }};
  std::array<std::vector<double>, work.size()> times_s;
  std::vector<double> floor_s;
  for (; round < kWarmup + kRounds; ++round) {
    std::array<double, work.size()> now_s{};
    for (std::size_t turn = 0; turn < work.size(); ++turn) {
      const std::size_t which = (round + turn) % work.size();
      now_s[which] = test::seconds(work[which]);
    }
    if (round >= kWarmup) {
      for (std::size_t which = 0; which < work.size(); ++which) {
        times_s[which].push_back(now_s[which]);
      }
      floor_s.push_back(now_s[1] + now_s[2]);
    }
  }
  fmt::print(
      "products: {:>8} batch {:>4}: step {:>9.1f} us; time {} of its matrix products and the bytes "
      "of its update (aim <= 1.05), {} of the products alone; update at {:.1f} GB/s\n",
      model,
      batch,
      1e6 * test::median(times_s[0]),
      test::median_ratio(times_s[0], floor_s),
      test::median_ratio(times_s[0], times_s[1]),
      5e-9 * sizeof(float) * static_cast<double>(model::parameter_count(options.model)) /
          test::median(times_s[2]));
}

}  // namespace

int main(int argc, char** argv) {
  return rank::run_program(argc, argv, [](const rank::World& world, protocol::Writer*) {
    compare("mlp-258k", "256", world);
    compare("mlp-6.9m", "256", world);
    compare("mlp-4096", "128", world);
    compare("mlp-4096", "256", world);
    fmt::print(
        "products: 1 rank, 1 core, float32; medians of {} rounds' ratios, in brackets their "
        "order-statistics interval\n",
        kRounds);
    return 0;
  });
}
