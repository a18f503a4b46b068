// Puts what was read from elsewhere into a store.
#pragma once

#include "harness/store/store.h"

namespace scalestudy {

// Takes the place of all that is in the store, with results made anew. Throws Error before anything
// is replaced where the text of a study cannot be read.
void put_content(Store& store, const StoreContent& content);

}  // namespace scalestudy
