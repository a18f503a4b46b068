// Published and measured throughputs by what a declared watt does.
#pragma once

#include "harness/store/rows/published_rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Sets the ratio of both throughputs per watt, by the power of a device that each side declares;
// what a site uses beside its devices is left out. Sets nothing if the figure is no throughput of a
// known number of devices, if a side declares no power, or if the publication declares several.
void set_per_watt(CounterpartRow& row,
                  const PublicationRow& publication,
                  const PublishedFigureRow& figure,
                  const Study& study);

}  // namespace scalestudy
