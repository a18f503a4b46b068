// The accuracy of a network on samples that no rank trains on, as series of the trial protocol.
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

// Counts over one rank's share of the held-out samples, or over all; shares add up.
struct Evaluation {
  double correct = 0.0;  // predictions whose largest logit (of equal ones the first) is the label's
  double loss = 0.0;     // sum of the cross entropies of all predictions, nats
};

// Adds one prediction.
//   logits  of each class, the label's among them.
void add_prediction(std::span<const double> logits, std::size_t label, Evaluation& evaluation);

// The sums over ranks of each evaluation, on rank 0; this rank's own on others. Collective: every
// rank calls with as many.
std::vector<Evaluation> sum_over_ranks(const rank::World& world, std::vector<Evaluation> own);

// The series over all held-out samples: accuracy and held_out_loss, one value each, of the last
// evaluation. With evaluations after each epoch also epoch_accuracy, epoch_held_out_loss and
// epoch_loss, the mean training loss of the epoch's steps: a value for each whole epoch. A series
// of losses is left out if one of them is not finite.
// - evaluations: of sum_over_ranks(): of epochs in order, then that of the end unless an epoch ends
//   there.
// - losses: the training loss of each step.
std::vector<protocol::Samples> accuracy_series(const Options& options,
                                               std::span<const Evaluation> evaluations,
                                               std::span<const double> losses);

// Checks that the loss on held-out samples was finite throughout.
protocol::Check check_evaluations(std::span<const Evaluation> evaluations);

// Facts about the best possible classifier: best_accuracy, its accuracy on fresh samples, and
// best_accuracy_sd, the standard deviation of that over sets of as many samples as are held out;
// for tokens as if they were independent. Empty without held-out samples.
std::map<std::string, double> accuracy_facts(const Options& options);

// A line for people about the last evaluation.
std::string describe_accuracy(const Options& options, std::span<const Evaluation> evaluations);

}  // namespace scalestudy::train
