// One order of what several stores hold, however they came together.
#pragma once

#include "harness/store/rows/content_rows.h"

namespace scalestudy {

// Gives the order and the ids that follow from the content alone. A store whose trials were never
// tried again keeps its ids.
void put_in_order(StoreContent& content);

}  // namespace scalestudy
