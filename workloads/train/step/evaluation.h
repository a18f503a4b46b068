// How well a network does on samples that no rank trains on, as the series of the trial protocol.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "workloads/protocol/events.h"
#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"

namespace scalestudy::train {

// Of one rank's share of the held-out samples, or of all: shares add up.
struct Evaluation {
  double correct = 0.0;  // predictions whose largest logit, the first of equal ones, is the label's
  double loss = 0.0;     // sum of the cross entropies of all predictions, nats
};

// Adds one prediction.
//   logits  of each class, the label's among them.
void add_prediction(std::span<const double> logits, std::size_t label, Evaluation& evaluation);

// Every rank's, in order, added up on rank 0; this rank's own elsewhere. Collective: every rank
// calls with as many.
std::vector<Evaluation> sum_over_ranks(const rank::World& world, std::vector<Evaluation> own);

// Of all held-out samples: accuracy and held_out_loss, one value each, of the last evaluation. With
// evaluations after each epoch also epoch_accuracy, epoch_held_out_loss and epoch_loss, that of
// training over the epoch's steps: a value a whole epoch. No loss of them that is not finite.
//   evaluations  sum_over_ranks(); of epochs in order, then of the end where that ends none
//   losses       of training, of each step
std::vector<protocol::Samples> accuracy_series(const Options& options,
                                               std::span<const Evaluation> evaluations,
                                               std::span<const double> losses);

// Whether the loss on held-out samples was finite throughout.
protocol::Check check_evaluations(std::span<const Evaluation> evaluations);

// best_accuracy, what the best classifier is right in of fresh samples, and its standard deviation
// over sets of as many held-out ones, best_accuracy_sd; for tokens as if they were independent.
// Empty without held-out samples.
std::map<std::string, double> accuracy_facts(const Options& options);

// A line for people about the last one.
std::string describe_accuracy(const Options& options, std::span<const Evaluation> evaluations);

}  // namespace scalestudy::train
