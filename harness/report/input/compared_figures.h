// Published figures beside what was measured of the same.
#pragma once

#include "harness/report/input/input.h"

namespace scalestudy::report {

// A published figure with its measured counterpart, or the reason why it has none.
struct ComparedFigure {
  const PublicationRow* publication = nullptr;
  const PublishedFigureRow* figure = nullptr;
  CounterpartRow counterpart;
};

// The counterpart that analysis stored for the figure. If the results are older than the figure's
// import, a counterpart with nothing but the reason.
CounterpartRow counterpart_of(const ReportInput& input, const PublishedFigureRow& figure);

}  // namespace scalestudy::report
