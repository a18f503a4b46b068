// Loss and accuracy of each epoch, which `train` writes as series of a value an epoch.
#pragma once

#include <map>
#include <string>

#include "harness/analysis/observe/observation.h"
#include "harness/store/rows/trial_rows.h"

namespace scalestudy {

// "epoch_accuracy", "epoch_loss" ...
bool is_of_epochs(const std::string& metric);

// Each epoch's value as a metric of its own, "epoch_accuracy:3": means over epochs would be of no
// network. Of more than 20 epochs every k-th back from the last, so that 20 are left at most.
//   units  of metrics; gets those of the new ones.
void add_epochs(const SeriesRow& series,
                TrialObservation& trial,
                std::map<std::string, std::string>& units);

}  // namespace scalestudy
