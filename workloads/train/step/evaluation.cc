#include "workloads/train/step/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string_view>
#include <utility>

#include "workloads/names/names.h"

namespace scalestudy::train {
namespace {

// On all held-out samples.
double prediction_count(const Options& options) {
  return static_cast<double>(options.held_out_samples * model::sample_shape(options.model).rows);
}

// The likeliest of a token's four successors follows in half of the cases (tokens.h).
double best_accuracy(const Options& options) {
  return model::sample_shape(options.model).is_tokens ? 0.5 : 1.0 - options.label_noise;
}

std::vector<double> column(std::span<const Evaluation> evaluations,
                           double Evaluation::*field,
                           double count) {
  std::vector<double> values;
  for (const Evaluation& evaluation : evaluations) {
    values.push_back(evaluation.*field / count);
  }
  return values;
}

// Of each whole epoch.
std::vector<double> epoch_means(std::span<const double> losses, std::size_t steps) {
  std::vector<double> means;
  for (; losses.size() >= steps; losses = losses.subspan(steps)) {
    const auto epoch = losses.first(steps);
    means.push_back(std::accumulate(epoch.begin(), epoch.end(), 0.0) / static_cast<double>(steps));
  }
  return means;
}

}  // namespace

void add_prediction(std::span<const double> logits, std::size_t label, Evaluation& evaluation) {
  const auto largest = std::max_element(logits.begin(), logits.end());
  double sum = 0.0;
  for (const double logit : logits) {
    sum += std::exp(logit - *largest);
  }
  const bool is_correct = static_cast<std::size_t>(largest - logits.begin()) == label;
  evaluation.correct += is_correct ? 1.0 : 0.0;
  evaluation.loss += *largest + std::log(sum) - logits[label];
}

std::vector<Evaluation> sum_over_ranks(const rank::World& world, std::vector<Evaluation> own) {
  for (int rank = 1; rank < world.size() && !own.empty(); ++rank) {
    std::vector<double> values;
    for (const Evaluation& evaluation : own) {
      values.insert(values.end(), {evaluation.correct, evaluation.loss});
    }
    world.send_to_root(values, rank);
    for (std::size_t i = 0; world.rank() == 0 && i < own.size(); ++i) {
      own[i].correct += values[2 * i];
      own[i].loss += values[2 * i + 1];
    }
  }
  return own;
}

std::vector<protocol::Samples> accuracy_series(const Options& options,
                                               std::span<const Evaluation> evaluations,
                                               std::span<const double> losses) {
  std::vector<protocol::Samples> series;
  const auto add = [&](std::string_view metric, std::vector<double> values) {
    const bool is_finite = std::all_of(
        values.begin(), values.end(), [](double value) { return std::isfinite(value); });
    if (is_finite && !values.empty()) {
      series.push_back({.metric = std::string(metric),
                        .unit = "1",
                        .rank = std::nullopt,
                        .warmup = 0,
                        .values = std::move(values)});
    }
  };
  const double count = prediction_count(options);
  add(names::kAccuracy, column(evaluations.last(1), &Evaluation::correct, count));
  add("held_out_loss", column(evaluations.last(1), &Evaluation::loss, count));
  if (options.is_evaluated_each_epoch) {
    const std::vector<double> means = epoch_means(losses, options.steps_per_epoch());
    const std::span<const Evaluation> epochs = evaluations.first(means.size());
    add("epoch_accuracy", column(epochs, &Evaluation::correct, count));
    add("epoch_held_out_loss", column(epochs, &Evaluation::loss, count));
    add("epoch_loss", means);
  }
  return series;
}

protocol::Check check_evaluations(std::span<const Evaluation> evaluations) {
  const bool is_finite = std::all_of(evaluations.begin(), evaluations.end(), [](const auto& one) {
    return std::isfinite(one.loss);
  });
  return {
      .name = "held_out_loss_finite",
      .passed = is_finite,
      .detail = is_finite ? "" : "the loss on held-out samples is not finite; lower learning_rate"};
}

std::map<std::string, double> accuracy_facts(const Options& options) {
  if (options.held_out_samples == 0) {
    return {};
  }
  const double best = best_accuracy(options);
  return {{"best_accuracy", best},
          {"best_accuracy_sd", std::sqrt(best * (1.0 - best) / prediction_count(options))}};
}

std::string describe_accuracy(const Options& options, std::span<const Evaluation> evaluations) {
  std::array<char, 160> text{};
  std::snprintf(text.data(),
                text.size(),
                "  accuracy %.4f on %zu held-out samples (best %.4f), their loss %.6g\n",
                evaluations.back().correct / prediction_count(options),
                options.held_out_samples,
                best_accuracy(options),
                evaluations.back().loss / prediction_count(options));
  return text.data();
}

}  // namespace scalestudy::train
