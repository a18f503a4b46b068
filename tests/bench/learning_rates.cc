// Whether the default learning rate of each model trains for 10,000 steps without its loss getting
// out of hand, with each optimizer and loss; models too slow for that at a reduced shape.
//
//   bench_learning_rates [MODEL [STEPS [LEARNING_RATE]]]
#include <cmath>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/bench/stopwatch.h"
#include "workloads/rank/program.h"
#include "workloads/train/step/trainer.h"

namespace {

using namespace scalestudy;

struct Shape {
  const char* model;
  bool is_tokens;  // no squared error
  train::Texts reduced;
};

const std::vector<Shape>& shapes() {
  static const train::Texts kSmallTransformer = {{"model.layers", "2"},
                                                 {"model.width", "32"},
                                                 {"model.heads", "2"},
                                                 {"model.sequence", "16"},
                                                 {"model.vocabulary", "64"},
                                                 {"batch_per_device", "4"}};
  static const train::Texts kSmallResidual = {{"model.layers", "1"},
                                              {"model.width", "8"},
                                              {"model.image", "16"},
                                              {"batch_per_device", "8"}};
  static const std::vector<Shape> kShapes = {
      {"mlp-258k", false, {}},
      {"mlp-6.9m", false, {{"batch_per_device", "8"}}},
      {"mlp-4096", false, {{"model.layers", "1"}, {"batch_per_device", "1"}}},
      {"lstm-332k", false, {{"model.sequence", "10"}, {"batch_per_device", "8"}}},
      {"gru-250k", false, {{"model.sequence", "10"}, {"batch_per_device", "8"}}},
      {"resnet50-cifar", false, kSmallResidual},
      {"resnet50", false, kSmallResidual},
      {"gpt-tiny", true, {{"model.sequence", "16"}, {"batch_per_device", "2"}}},
      {"gpt2-124m", true, kSmallTransformer},
      {"gpt2-1558m", true, kSmallTransformer},
      {"gpt-6.7b", true, kSmallTransformer},
      {"gpt-175b", true, kSmallTransformer},
      {"llama-7b", true, kSmallTransformer},
      {"llama-13b", true, kSmallTransformer},
      {"llama-30b", true, kSmallTransformer}};
  return kShapes;
}

// Mean loss of the 100 steps from `begin` on.
double mean_loss(const std::vector<train::StepTimes>& times, std::size_t begin) {
  double sum = 0.0;
  for (std::size_t i = begin; i < begin + 100; ++i) {
    sum += times[i][train::kLoss];
  }
  return sum / 100.0;
}

// Whether the loss stays finite and ends no higher than it began.
bool trains(const train::Texts& given, const rank::World& world) {
  const train::Texts texts = train::complete(train::merge({}, given), world.size());
  const train::Options options = train::make_options(texts);
  const auto trainer = train::make_trainer(options, world);
  const double wall_s = test::seconds([&] {
    for (std::size_t i = 0; i < options.measured_steps && !trainer->diverged_step(); ++i) {
      trainer->step(i);
    }
  });
  const std::vector<train::StepTimes> times = trainer->finish().times;
  const double first = mean_loss(times, 0);
  const double last = mean_loss(times, options.measured_steps - 100);
  double largest = 0.0;
  for (const train::StepTimes& step : times) {
    largest = std::max(largest, std::isfinite(step[train::kLoss]) ? step[train::kLoss] : INFINITY);
  }
  const bool is_good = last <= 1.05 * first && std::isfinite(largest);
  fmt::print(
      "learning_rates: {:<14} {:<5} {:<13} {:<6}: {}: loss {:.4g} -> {:.3g}, at most {:.3g}; "
      "{:.2f} ms a step\n",
      options.model.name,
      texts.at("optimizer"),
      texts.at("loss"),
      texts.at("learning_rate"),
      is_good ? "trains" : "DIVERGES",
      first,
      last,
      largest,
      1e3 * wall_s / static_cast<double>(options.measured_steps));
  std::fflush(stdout);
  return is_good;
}

int run(const std::vector<std::string>& arguments, const rank::World& world) {
  bool all_train = true;
  bool is_known = arguments.empty();
  for (const Shape& shape : shapes()) {
    if (!arguments.empty() && arguments[0] != shape.model) {
      continue;
    }
    is_known = true;
    for (const std::string optimizer : {"sgd", "adamw"}) {
      for (const std::string loss : {"cross_entropy", "mse"}) {
        if (shape.is_tokens && loss == "mse") {
          continue;
        }
        train::Texts given = {{"model", shape.model},
                              {"optimizer", optimizer},
                              {"loss", loss},
                              {"timing", "light"},
                              {"warmup_steps", "0"},
                              {"measured_steps", arguments.size() > 1 ? arguments[1] : "10000"}};
        if (arguments.size() > 2) {
          given["learning_rate"] = arguments[2];
        }
        given.insert(shape.reduced.begin(), shape.reduced.end());
        given.emplace("batch_per_device", "16");
        all_train = trains(given, world) && all_train;
      }
    }
  }
  if (!is_known) {
    fmt::print(stderr, "learning_rates: no model is named {}\n", arguments[0]);
    return 2;
  }
  return all_train ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return rank::run_program(argc, argv, [&](const rank::World& world, protocol::Writer*) {
    return run({argv + 1, argv + argc}, world);
  });
}
