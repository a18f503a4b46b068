// What is held out, how predictions of it are judged, and what labels are.
#include "workloads/train/step/evaluation.h"

#include <cmath>

#include "tests/support/catch.h"
#include "workloads/train/input/dataset.h"
#include "workloads/train/input/samples.h"

using namespace scalestudy;
using train::Evaluation;
using train::Options;

namespace {

// Epochs of 3 steps, 10 held-out samples.
Options three_steps() {
  Options options;
  options.model = {"probe", model::MlpSpec{{16, 8, 4}, 0.0}};
  options.batch_per_device = 2;
  options.batch_global = 2;
  options.train_samples = 6;
  options.held_out_samples = 10;
  options.label_noise = 0.2;
  return options;
}

std::vector<double> held_out_values(const std::vector<protocol::Samples>& series,
                                    const std::string& metric) {
  for (const protocol::Samples& samples : series) {
    if (samples.metric == metric) {
      CHECK(samples.warmup == 0);
      CHECK_FALSE(samples.rank.has_value());
      return samples.values;
    }
  }
  return {};
}

}  // namespace

// By hand: probabilities 1/4 and 3/4; where logits are equal the first class is the prediction.
TEST_CASE("a prediction is the largest logit, and its loss that of the label", "[train]") {
  Evaluation evaluation;

  train::add_prediction(std::vector<double>{0.0, std::log(3.0)}, 1, evaluation);
  CHECK(evaluation.correct == 1.0);
  CHECK(evaluation.loss == Approx(std::log(4.0 / 3.0)).epsilon(1e-14));
  train::add_prediction(std::vector<double>{1000.0, 1000.0 + std::log(3.0)}, 0, evaluation);
  CHECK(evaluation.correct == 1.0);
  CHECK(evaluation.loss == Approx(std::log(4.0 / 3.0) + std::log(4.0)).epsilon(1e-12));
  train::add_prediction(std::vector<double>{2.0, 2.0}, 0, evaluation);
  train::add_prediction(std::vector<double>{2.0, 2.0}, 1, evaluation);
  CHECK(evaluation.correct == 2.0);
}

// By hand, of 10 samples.
TEST_CASE("accuracy is what the last evaluation counts", "[train]") {
  const std::vector<protocol::Samples> series =
      train::accuracy_series(three_steps(), std::vector<Evaluation>{{7.0, 12.0}}, {});

  CHECK(series.size() == 2);
  CHECK(held_out_values(series, "accuracy") == std::vector<double>{0.7});
  CHECK(held_out_values(series, "held_out_loss") == std::vector<double>{1.2});
}

// By hand: means of (6, 5, 4) and (3, 2, 1); a seventh step belongs to no whole epoch.
TEST_CASE("epochs have a value each where they are asked for", "[train]") {
  Options options = three_steps();
  options.is_evaluated_each_epoch = true;
  std::vector<Evaluation> evaluations = {{2.0, 20.0}, {5.0, 10.0}};
  std::vector<double> losses = {6.0, 5.0, 4.0, 3.0, 2.0, 1.0};
  const bool has_rest = GENERATE(false, true);
  if (has_rest) {
    evaluations.push_back({6.0, 5.0});
    losses.push_back(0.5);
  }

  const auto series = train::accuracy_series(options, evaluations, losses);

  CHECK(held_out_values(series, "epoch_accuracy") == std::vector<double>{0.2, 0.5});
  CHECK(held_out_values(series, "epoch_held_out_loss") == std::vector<double>{2.0, 1.0});
  CHECK(held_out_values(series, "epoch_loss") == std::vector<double>{5.0, 2.0});
  CHECK(held_out_values(series, "accuracy") == std::vector<double>{has_rest ? 0.6 : 0.5});
}

TEST_CASE("a loss on held-out samples that is not finite fails its check", "[train]") {
  const std::vector<Evaluation> evaluations = {{7.0, 1.0}, {7.0, std::nan("")}};

  CHECK_FALSE(train::check_evaluations(evaluations).passed);
  CHECK(train::check_evaluations(std::span(evaluations).first(1)).passed);
  const auto series = train::accuracy_series(three_steps(), evaluations, {});
  CHECK(held_out_values(series, "held_out_loss").empty());
  CHECK(held_out_values(series, "accuracy") == std::vector<double>{0.7});
}

// By hand: sqrt(0.8 * 0.2 / 10).
TEST_CASE("the best accuracy is known with its spread", "[train]") {
  const auto facts = train::accuracy_facts(three_steps());

  CHECK(facts.at("best_accuracy") == Approx(0.8).epsilon(1e-15));
  CHECK(facts.at("best_accuracy_sd") == Approx(0.12649110640673517).epsilon(1e-12));
  Options none = three_steps();
  none.held_out_samples = 0;
  CHECK(train::accuracy_facts(none).empty());
}

// 6000 labels of four classes: counts of binomials with probabilities 1/5 and 1/15, within four
// standard deviations: 31 and 19.3.
TEST_CASE("label noise changes its share of labels, to each other class alike", "[train]") {
  std::vector<int> shifts(4, 0);
  for (std::uint32_t sample = 0; sample < 6000; ++sample) {
    std::vector<float> values(8, 0.0F);
    const std::uint32_t of_class = train::add_class_sample(std::span(values), 4, 1, sample);
    REQUIRE(train::noisy_label(of_class, 4, 0.0, 1, sample) == of_class);
    ++shifts[(train::noisy_label(of_class, 4, 0.2, 1, sample) + 4 - of_class) % 4];
  }

  CHECK(shifts[0] == Approx(4800.0).margin(124.0));
  for (const std::size_t shift : {1U, 2U, 3U}) {
    CHECK(shifts[shift] == Approx(400.0).margin(78.0));
  }
}

TEST_CASE("held-out samples are numbered beyond all training samples", "[train]") {
  const Options held_out = train::held_out_options(three_steps());

  CHECK(train::Dataset<float>::batch_count(held_out) == 5);
  CHECK(held_out.first_sample > 1'000'000'000U);
  CHECK(three_steps().first_sample == 0);
}
