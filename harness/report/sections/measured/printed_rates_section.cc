// Rates that a command prints beside what its step times give.
#include <cstdint>
#include <map>

#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/measure.h"
#include "harness/text/number.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

struct PrintedRate {
  const CellRow* cell = nullptr;
  const EstimateRow* row = nullptr;

  const CellRow& operator*() const { return *cell; }
};

Scale scale_of(const EstimateRow& row) {
  return is_fraction(row.metric) ? Scale{"%", 1.0 / kHundredth} : Scale{.unit = row.unit};
}

std::string recomputed_text(const EstimateRow& row) {
  const double factor = scale_of(row).factor;
  return row.recomputed_lo && row.recomputed_hi
             ? join_range(format_number(factor * *row.recomputed_lo),
                          format_number(factor * *row.recomputed_hi))
             : "";
}

std::vector<Column<PrintedRate>> printed_rate_columns(const ReportInput& input) {
  return with_cell_columns<PrintedRate>(
      input,
      {
          {{"metric", "Metric", "as the study names it", Align::kText},
           [](const PrintedRate& rate) { return rate.row->metric; }},
          {{"unit", "Unit", "as printed", Align::kText},
           [](const PrintedRate& rate) { return scale_of(*rate.row).unit; }},
          {{"printed", "Printed", "mean over trials [interval]"},
           [](const PrintedRate& rate) {
             return format_interval(measure_of(*rate.row), {.factor = scale_of(*rate.row).factor});
           }},
          {{"recomputed", "Recomputed", "what the step times of the same trials give"},
           [](const PrintedRate& rate) { return recomputed_text(*rate.row); }},
          {{"verdict",
            "Verdict",
            "follows; per device, not total; total, not per device; counts x1024; sparse peak; "
            "dense peak; does not follow; cannot be checked",
            Align::kText},
           [](const PrintedRate& rate) { return to_word(*rate.row->recomputed_verdict); }},
          {{"formula", "Formula", "the formula, or what to declare for it", Align::kText},
           [](const PrintedRate& rate) { return rate.row->recomputed_from; }},
      });
}

void fill_printed_rates(View& view, const ReportInput& input, const Figures& figures) {
  std::multimap<std::int64_t, const EstimateRow*> recomputed;  // by the cell
  for (const EstimateRow& row : input.results.estimates) {
    if (row.recomputed_verdict) {
      recomputed.emplace(row.cell_id, &row);
    }
  }
  view.set_list("printed_rates", group_tables(input, figures, "", [&](const Group& group) {
                  std::vector<PrintedRate> rates;
                  for (const CellRow* cell : group.cells) {
                    const auto [first, last] = recomputed.equal_range(cell->id);
                    for (auto row = first; row != last; ++row) {
                      rates.push_back({cell, row->second});
                    }
                  }
                  return one_table(printed_rate_columns(input), rates);
                }));
}

}  // namespace

Section printed_rates_section() {
  return {group_table_tags("printed_rates",
                           "rates that the command prints, recomputed",
                           heads_of(printed_rate_columns(empty_input()))),
          fill_printed_rates};
}

}  // namespace scalestudy::report
