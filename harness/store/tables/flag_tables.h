// Columns of the tables about trials and steps that the outlier rule marks.
#pragma once

#include "harness/store/rows/flag_rows.h"
#include "harness/store/tables/columns.h"

namespace scalestudy {

template <>
struct Table<FlagRow> {
  using Row = FlagRow;
  static constexpr const char* name = "flag";
  static constexpr auto columns = std::tuple(column("trial_id", &Row::trial_id),
                                             column("level", &Row::level),
                                             column("rule", &Row::rule),
                                             column("count", &Row::count),
                                             column("share", &Row::share),
                                             column("score", &Row::score));
};

template <>
struct Table<FlaggedStepsRow> {
  using Row = FlaggedStepsRow;
  static constexpr const char* name = "flagged_steps";
  static constexpr auto columns = std::tuple(column("cell_id", &Row::cell_id),
                                             column("trials", &Row::trials),
                                             column("flagged_trials", &Row::flagged_trials),
                                             column("steps", &Row::steps),
                                             column("flagged_steps", &Row::flagged_steps),
                                             column("share", &Row::share));
};

}  // namespace scalestudy
