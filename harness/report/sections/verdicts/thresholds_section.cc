// Break-evens.
#include "harness/report/answer/break_evens.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/switch_points.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/parameters.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/store/crossing_text.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

std::vector<Column<ThresholdRow>> threshold_columns(const ReportInput& input) {
  using enum Align;
  using Row = ThresholdRow;
  return {
      {{"metric", "Metric", "speedup or efficiency", kText},
       [](const Row& row) { return metric_words(row.metric); }},
      {{"level", "Level", "the level it crosses"},
       [&input](const Row& row) {
         return level_text(
             row, absolute_unit(input, row), largest_estimate(input.results, row.metric));
       }},
      {{"along", "Along", "axis", kText},
       [&input](const Row& row) { return parameter_heading(input, row.along); }},
      {{"group", "Among", "the other varied parameters", kText},
       [&input](const Row& row) { return curve_text(input, row); }},
      {{"status", "Status", "crossed, always, not reached, unresolved ...", kText},
       [](const Row& row) { return in_words(to_word(row.status)); }},
      {{"bracket", "Bracket (tested values)", "tested values on either side, both resolved"},
       bracket_text},
      {{"estimate",
        "Estimate",
        "interpolated [interval]; ≤ and ≥ mark an end outside what was tested"},
       estimate_text},
      {{"tested_values", "Tested values", "tested values"},
       [](const Row& row) { return std::to_string(row.tested_values); }},
      {{"finding", "", "a sentence", kText, Shown::kNever},
       [&input](const Row& row) { return begin_line(input, row.finding); }},
  };
}

}  // namespace

Section thresholds_section() {
  return {table_tags("thresholds", "break-evens", heads_of(threshold_columns(empty_input()))),
          [](View& view, const ReportInput& input, const Figures&) {
            view.set_list("thresholds",
                          one_table(threshold_columns(input), input.results.thresholds));
          }};
}

}  // namespace scalestudy::report
