// Published figures beside what was measured of the same.
#pragma once

#include "harness/report/input/input.h"

namespace scalestudy::report {

// A published figure and what was measured beside it, or why there is nothing.
struct ComparedFigure {
  const PublicationRow* publication = nullptr;
  const PublishedFigureRow* figure = nullptr;
  CounterpartRow counterpart;
};

// The counterpart that analysis stored for the figure; one that only says why it is absent where
// results are older than the figure's import.
CounterpartRow counterpart_of(const ReportInput& input, const PublishedFigureRow& figure);

}  // namespace scalestudy::report
