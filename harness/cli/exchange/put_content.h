// Puts what was read from elsewhere into a store.
#pragma once

#include "harness/store/store.h"

namespace scalestudy {

// Replaces everything in the store by `content`, and computes the results of its studies anew.
// Throws Error before anything is replaced if the text of a study cannot be read.
void put_content(Store& store, const StoreContent& content);

}  // namespace scalestudy
