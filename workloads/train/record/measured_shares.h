// Each rank's share of a batch if the trial measures how fast ranks are (shares proportional).
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "workloads/rank/world.h"
#include "workloads/train/options/options.h"
#include "workloads/train/step/trainer.h"

namespace scalestudy::train {

// The split of `batch` samples with which the last rank is done earliest, if rank i does speeds[i]
// samples a second. Each rank has at least one sample; if two would be done at the same time, the
// first gets the next sample.
// - speeds: > 0, for no more ranks than samples.
std::vector<std::size_t> split_batch(std::size_t batch, std::span<const double> speeds);

// If shares are to be measured, gives options the weights of such a split and returns the samples a
// second of each rank, the same numbers on every rank; else returns nothing. All ranks train an
// equal share at once and without collectives, by trainers that are destroyed afterwards: a few
// steps, or 0.2 s if these are short. Every rank calls. Throws what `make` and check_memory() do.
std::vector<double> share_by_speed(Options& options,
                                   const rank::World& world,
                                   const TrainerFactory& make);

// Facts of the start event: shares.rank_R in samples if shares are not equal, and
// alone_samples_per_s.rank_R if they were measured.
// - speeds: as share_by_speed() returned them.
std::map<std::string, double> share_facts(const Options& options, std::span<const double> speeds);

}  // namespace scalestudy::train
