// What analysis made of a study, as one JSON document for programs.
#pragma once

#include <string>

#include "harness/store/store.h"

namespace scalestudy {

// Rows of the views, keys named as their columns, NULL as null, `axes` as an object; without ids
// that another store would number otherwise. Rows are in an order that every copy of the store has.
// The same store gives the same bytes. Format: data/results.schema.json.
std::string results_json(const Store& store, const std::string& study);

}  // namespace scalestudy
