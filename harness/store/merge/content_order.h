// One order for the content of a store, however it was merged.
#pragma once

#include "harness/store/rows/content_rows.h"

namespace scalestudy {

// Puts all rows in the order, and gives them the ids, that follow from the content alone. A store
// whose trials were never tried again keeps its ids.
void put_in_order(StoreContent& content);

}  // namespace scalestudy
