// The results of a study as one JSON document for programs.
#pragma once

#include <string>

#include "harness/store/store.h"
#include "harness/text/json.h"

namespace scalestudy {

// A field of that column of a view: what is JSON in its text, as `axes` is, as what it stands for.
JsonText field_json(const Field& field, const std::string& column);

// The rows of the views: keys are named like columns, NULL is null, `axes` is an object. Ids of
// results are left out, because every analysis numbers them anew, and rows are in an order that
// every copy of the store has. The same store and the same version of scalestudy give the same
// bytes. Format: data/results.schema.json.
std::string results_json(const Store& store, const std::string& study);

// The document without its line `made_by`, to see whether two versions of scalestudy say the same;
// any other text is returned unchanged.
std::string without_maker(const std::string& json);

}  // namespace scalestudy
