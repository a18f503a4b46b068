// Step time, throughput and cost of one cell from the step times of its trials.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "stats/estimate.h"
#include "stats/mean_interval.h"
#include "stats/status.h"

namespace scalestudy::stats {

struct CellThroughput {
  Status status = Status::kInsufficientData;
  std::vector<double> trial_step_time_s;  // mean of each trial
  std::vector<double> trial_throughput;   // samples/s of each trial
  MeanInterval step_time;                 // s
  Estimate throughput;                    // samples/s: the map of step_time, so the harmonic mean
  Estimate per_gpu;                       // samples/s/GPU
  std::optional<Estimate> cost_per_million_samples;  // present when a price is given
};

// Throughput of a cell in which every step has the same work.
//
//   steps               step times in seconds, one vector per trial, > 0.
//   samples_per_step    global batch, > 0.
//   gpus                devices, > 0.
//   price_per_gpu_hour  any currency, >= 0; absent: no cost.
//   status              that of mean_ci_t on the trial means; invalid_input also for an empty
//                       trial.
//   source              METHODS.md, One cell. The mean of rates is refused: it is biased up by
//                       about CV^2.
CellThroughput cell_throughput(std::span<const std::vector<double>> steps,
                               double samples_per_step,
                               double gpus,
                               std::optional<double> price_per_gpu_hour,
                               double level);

struct CellThroughputUnequal {
  Status status = Status::kInsufficientData;
  std::vector<double> trial_throughput;  // samples/s: sum of samples / sum of times
  MeanInterval seconds_per_sample;       // s per sample, over trials
  Estimate throughput;                   // samples/s
};

// Throughput of a cell whose steps differ in work: `samples` has the shape of `steps`, each entry
// > 0.
CellThroughputUnequal cell_throughput_unequal(std::span<const std::vector<double>> steps,
                                              std::span<const std::vector<double>> samples,
                                              double level);

}  // namespace scalestudy::stats
