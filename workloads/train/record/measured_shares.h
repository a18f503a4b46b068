// What of a batch each rank takes where the trial finds out how fast they are (shares
// proportional).
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

// The split of `batch` samples whose slowest rank is done first, where rank i does speeds[i]
// samples a second. Each rank has one sample at least; of two that would be done at once the first
// gets the next one.
//   speeds  > 0, of no more ranks than samples
std::vector<std::size_t> split_batch(std::size_t batch, std::span<const double> speeds);

// Where shares are to be measured, gives options the weights of such a split. Returns the samples a
// second of each rank, the same numbers on every rank; none where nothing was to be measured. All
// train an equal share at once and without collectives, by trainers that are gone afterwards: a few
// steps, or 0.2 s where these are short. Every rank calls. Throws what `make` and check_memory()
// do.
std::vector<double> share_by_speed(Options& options,
                                   const rank::World& world,
                                   const TrainerFactory& make);

// For the start of the record: shares.rank_R in samples where they are not equal, and
// alone_samples_per_s.rank_R where they were measured.
//   speeds  as share_by_speed() returned them
std::map<std::string, double> share_facts(const Options& options, std::span<const double> speeds);

}  // namespace scalestudy::train
