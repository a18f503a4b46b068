// A dataset, read from its own format or made by a reader, as rows for the store.
#pragma once

#include "harness/audit/dataset/dataset.h"
#include "harness/store/rows/rows.h"

namespace scalestudy {

// Every printed figure, with its conditions and baseline; the cells that only say which run a row
// is about are in the conditions and no figures of their own. kind, source, path and hash are left
// to the caller.
PublicationRow make_publication(const audit::Dataset& dataset);

}  // namespace scalestudy
