// Turns a dataset, read from its own format or made by a reader, into rows for the store.
#pragma once

#include "harness/audit/dataset/dataset.h"
#include "harness/store/rows/rows.h"

namespace scalestudy {

// Every printed figure of the dataset, with its conditions and baseline. Cells that only say which
// run a row is about become conditions, not figures. The caller sets kind, source, path and hash.
PublicationRow make_publication(const audit::Dataset& dataset);

}  // namespace scalestudy
