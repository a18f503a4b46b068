// A training step of an MLP against its matrix products alone, on one core: the same shapes in the
// same process, in turn, each round begun by the other.
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/stopwatch.h"
#include "workloads/device/arena.h"
#include "workloads/ops/ops.h"
#include "workloads/rank/program.h"
#include "workloads/train/trainer.h"

namespace {

using namespace scalestudy;

constexpr std::size_t kRounds = 21;
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

void compare(const std::string& model, const std::string& batch, const rank::World& world) {
  const train::Options options =
      train::make_options(train::complete(train::merge({},
                                                       {{"model", model},
                                                        {"batch_per_device", batch},
                                                        {"loss", "mse"},
                                                        {"timing", "light"},
                                                        {"warmup_steps", "0"},
                                                        {"measured_steps", "100"}}),
                                          world.size()));
  const auto trainer = train::make_trainer(options, world);
  Products products(std::get<model::MlpSpec>(options.model.shape).widths, options.batch_per_device);
  std::vector<double> step_s;
  std::vector<double> ratios;
  for (std::size_t round = 0; round < kWarmup + kRounds; ++round) {
    const bool is_step_first = round % 2 == 1;
    double step = 0.0;
    double alone = 0.0;
    for (const bool is_step : {is_step_first, !is_step_first}) {
      (is_step ? step : alone) = bench::seconds([&] {
        if (is_step) {
          trainer->step(round);
        } else {
          products.run();
        }
      });
    }
    if (round >= kWarmup) {
      step_s.push_back(step);
      ratios.push_back(step / alone);
    }
  }
  const auto [lo, hi] = bench::median_range(ratios);
  fmt::print(
      "products: {:>8} batch {:>4}: step {:>9.1f} us; time x{:.3g} [{:.3g}, {:.3g}] of its matrix "
      "products alone (aim <= 1.1)\n",
      model,
      batch,
      1e6 * bench::median(step_s),
      bench::median(ratios),
      lo,
      hi);
}

}  // namespace

int main(int argc, char** argv) {
  return rank::run_program(argc, argv, [](const rank::World& world, protocol::Writer*) {
    compare("mlp-258k", "256", world);
    compare("mlp-6.9m", "256", world);
    compare("mlp-4096", "128", world);
    fmt::print(
        "products: 1 rank, 1 core, float32; medians of {} rounds' ratios, in brackets their "
        "order-statistics interval\n",
        kRounds);
    return 0;
  });
}
