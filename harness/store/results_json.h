// The results of a study as one JSON document for programs.
#pragma once

#include <string>

#include "harness/store/store.h"

namespace scalestudy {

// The rows of the views: keys are named like columns, NULL is null, `axes` is an object. Ids are
// left out, because another store would number them otherwise, and rows are in an order that every
// copy of the store has. The same store gives the same bytes. Format: data/results.schema.json.
std::string results_json(const Store& store, const std::string& study);

}  // namespace scalestudy
