// Loss and accuracy of each epoch, which `train` writes as series of one value per epoch.
#pragma once

#include <map>
#include <string>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// Whether the metric has one value per epoch: "epoch_accuracy", "epoch_loss" ...
bool is_of_epochs(const std::string& metric);

// Adds each epoch's value as a metric of its own, "epoch_accuracy:3", because a mean over epochs
// describes no network. Of more than 20 epochs every k-th counted back from the last is added, so
// that at most 20 are.
// - units: units by metric; those of the new metrics are added.
void add_epochs(const SeriesRow& series,
                TrialObservation& trial,
                std::map<std::string, std::string>& units);

}  // namespace scalestudy
