// Published and measured throughputs by what a declared watt does.
#pragma once

#include "harness/store/rows/published_rows.h"
#include "harness/study/declared/study.h"

namespace scalestudy {

// Of a throughput, on a known number of devices or of one: sets what a watt of them does, as both
// declare it, without what a site uses beside its devices. Sets nothing for other figures, and if
// one side declares no power or the publication several.
void set_per_watt(CounterpartRow& row,
                  const PublicationRow& publication,
                  const PublishedFigureRow& figure,
                  const Study& study);

}  // namespace scalestudy
