// A dataset's figures, recomputed from the figures they should follow from.
#pragma once

#include <vector>

#include "harness/audit/check/finding.h"
#include "harness/audit/dataset/dataset.h"

namespace scalestudy::audit {

// Findings of all figures that are derived by nature, by declaration or by another figure of the
// same thing, in the order of the dataset. A figure that nothing is said about gives none.
// Throws Error{kUsage} as load_dataset does when a declared SQL statement does not run, does not
// give one number, or would do anything but read the dataset's tables.
std::vector<Finding> audit_dataset(const Dataset& dataset);

}  // namespace scalestudy::audit
