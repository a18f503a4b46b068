// A dataset's figures, recomputed from the figures they should follow from.
#pragma once

#include <vector>

#include "harness/audit/check/finding.h"
#include "harness/audit/dataset/dataset.h"

namespace scalestudy::audit {

// Checks every figure that is derived by nature, by declaration or by another figure of the same
// thing, and returns findings in the order of the dataset. A figure that nothing can be said about
// gives none.
// Throws Error{kUsage} as load_dataset does if a declared SQL statement does not run, does not give
// one number, or would do anything but read the dataset's tables.
std::vector<Finding> audit_dataset(const Dataset& dataset);

// Adds a finding for each measured figure that is neither checked nor used to check another, so
// that a dataset that checks nothing does not look like one in which all follows.
// - findings: those of audit_dataset() for `dataset`.
void add_unreached(const Dataset& dataset, std::vector<Finding>& findings);

}  // namespace scalestudy::audit
