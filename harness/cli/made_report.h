// The report of a stored study, from its trials to its files.
#pragma once

#include "harness/cli/terminal.h"
#include "harness/report/report.h"
#include "harness/store/store.h"
#include "harness/study/study.h"

namespace scalestudy {

// Analyses and renders. A run may store trials meanwhile, and a report that lists more of them than
// its results count would contradict itself: it is made again then, some times at most.
ReportFiles analyse_and_render(Store& store,
                               const Study& study,
                               const ReportRequest& request,
                               Terminal& terminal);

}  // namespace scalestudy
