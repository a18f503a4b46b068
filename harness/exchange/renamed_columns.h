// Columns of data/*.csv whose names differ in reports of earlier versions.
#pragma once

#include <array>
#include <string_view>

namespace scalestudy {

struct RenamedColumn {
  std::string_view before;
  std::string_view now;
};

inline constexpr auto kRenamedColumns =
    std::to_array<RenamedColumn>({{"p", "p_value"},
                                  {"sd_between_trials", "sd"},
                                  {"baseline_label", "baseline"},
                                  {"group", "group_label"},
                                  {"measured_steps", "steps"},
                                  {"foreign_load_cores", "foreign_load"},
                                  {"search_role", "role"},
                                  {"name", "target"},
                                  {"table", "table_name"},
                                  {"column", "column_name"},
                                  {"lo", "step_time_s_lo"},
                                  {"hi", "step_time_s_hi"},
                                  {"measured", "measured_s"}});

}  // namespace scalestudy
