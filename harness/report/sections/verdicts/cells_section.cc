// The one table of cells of a short report, with each base as a row: for studies that compare
// several cells with one base, that declare a price, or that compare nothing. For others the pairs
// of the answer say the same in half the rows.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/report/answer/choice.h"
#include "harness/report/answer/pairs.h"
#include "harness/report/input/declared_prices.h"
#include "harness/report/input/estimates.h"
#include "harness/report/input/groups.h"
#include "harness/report/sections/cell_columns.h"
#include "harness/report/sections/group_tables.h"
#include "harness/report/sections/sections.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"
#include "workloads/names/names.h"

namespace scalestudy::report {
namespace {

constexpr const char* kMillionCost = "cost_per_million_samples";

// A cell with its group's label and its pair; to columns of cells like a pointer to the cell.
struct ShownCell {
  const CellRow* cell = nullptr;
  std::string group;
  const Pair* pair = nullptr;  // nullptr for a base and for what was not compared

  const CellRow& operator*() const { return *cell; }
};

// The costs of a declared training have a table of their own.
bool shows_cost(const ReportInput& input) {
  return input.declared.cost && !input.declared.cost->train;
}

bool is_shown_by_cells(const ReportInput& input, const std::vector<Pair>& pairs) {
  std::map<std::int64_t, int> compared;  // with each base
  for (const Pair& pair : pairs) {
    ++compared[pair.base->id];
  }
  return pairs.empty() || shows_cost(input) ||
         std::ranges::any_of(compared, [](const auto& entry) { return entry.second > 1; });
}

std::vector<ShownCell> shown_cells_of(const ReportInput& input, const std::vector<Pair>& pairs) {
  std::map<std::int64_t, const Pair*> by_cell;
  for (const Pair& pair : pairs) {
    by_cell[pair.cell->id] = &pair;
  }
  std::vector<ShownCell> rows;
  for (const Group& group : group_cells(input)) {
    for (const CellRow* cell : cells_with(input, group, names::kStepTime)) {
      const auto pair = by_cell.find(cell->id);
      rows.push_back({cell, group.label, pair == by_cell.end() ? nullptr : pair->second});
    }
  }
  return rows;
}

Column<ShownCell> compared_share(const ReportInput& input,
                                 const char* quantity,
                                 const ColumnHead& head) {
  return {head, [&input, quantity](const ShownCell& row) {
            return compared_share_text(input, *row.cell, quantity);
          }};
}

Column<ShownCell> cost_column(const ReportInput& input) {
  return {{"cost",
           fmt::format("Cost ({} per million samples)", currency_of(input)),
           "at the declared price [interval]",
           Align::kNumber,
           shows_cost(input) ? Shown::kPresent : Shown::kNever},
          [&input](const ShownCell& row) {
            return format_interval(measure_of(input.estimate(row.cell->id, kMillionCost)));
          }};
}

// "9/10" of a search for the largest that fits, "0/1" of what did not.
std::string fit_text(const ReportInput& input, const CellRow& cell) {
  const EstimateRow* fits = input.estimate(cell.id, names::kFitShare);
  return fits == nullptr || !fits->value
             ? ""
             : fmt::format(
                   "{:.0f}/{}", std::round(*fits->value * static_cast<double>(fits->n)), fits->n);
}

// - rows: how many; a long table leaves out the rate, which the details have.
std::vector<Column<ShownCell>> cell_table_columns(const ReportInput& input,
                                                  const std::vector<Pair>& pairs,
                                                  const Scale& time,
                                                  std::size_t rows) {
  constexpr std::size_t most_with_rate = 12;
  using enum Align;
  const bool has_tokens = std::ranges::any_of(input.cells, [&](const CellRow& cell) {
    return input.estimate(cell.id, names::kTokensPerSecond) != nullptr;
  });
  const char* rate = has_tokens ? names::kTokensPerSecond : names::kThroughput;
  std::vector<Column<ShownCell>> columns = {
      {{"group", "Of", "model or operation", kText, Shown::kDiffering},
       [](const ShownCell& row) { return row.group; }}};
  const std::vector<Column<ShownCell>> numbers = {
      {{"fits", "Trials that fit", "of those that ran: 9/10", kNumber, Shown::kPresent},
       [&input](const ShownCell& row) { return fit_text(input, *row.cell); }},
      {{"time", fmt::format("Step time ({})", time.unit), "mean ± half-width"},
       [&input, time](const ShownCell& row) {
         return format_half_width(measure_of(input.estimate(row.cell->id, names::kStepTime)),
                                  time.factor);
       }},
      {{"rate",
        has_tokens ? "Tokens/s" : "Samples/s",
        "samples, or tokens of a model of sequences, over the time of a step; in short tables",
        kNumber,
        rows <= most_with_rate ? Shown::kPresent : Shown::kNever},
       [&input, rate](const ShownCell& row) {  // the step time beside it has the interval
         return format_value(measure_of(input.estimate(row.cell->id, rate)));
       }},
      {{"speedup",
        "Speedup",
        "throughput divided by the base's [interval]",
        kNumber,
        Shown::kPresent},
       [](const ShownCell& row) {
         return row.pair != nullptr
                    ? format_interval(measure_of(*row.pair->speedup), {.levels = {1.0}})
                : row.cell->baseline == row.cell->hash ? std::string("1 (base)")
                                                       : std::string();
       }},
      compared_share(input,
                     names::kEfficiency,
                     {"efficiency",
                      "Efficiency (%)",
                      "speedup divided by the ratio of devices, % [interval]",
                      kNumber,
                      Shown::kPresent}),
      compared_share(input,
                     names::kOverhead,
                     {"communication",
                      "Communication (% of the step)",
                      "the step's share that goes without communication, % [interval]",
                      kNumber,
                      Shown::kPresent}),
      cost_column(input),
      {{"use", "Use", "the fastest of all that share the base", kText, Shown::kPresent},
       [texts = uses(input, pairs)](const ShownCell& row) {
         const auto found = texts.find(row.cell->id);
         return found == texts.end() ? "" : found->second;
       }},
  };
  for (const Column<ShownCell>& column : with_cell_columns<ShownCell>(input, numbers)) {
    columns.push_back(column);
  }
  return columns;
}

View::List cell_table(const ReportInput& input) {
  constexpr std::size_t most_rows = 24;
  const std::vector<Pair> pairs = pairs_of(input);
  if (input.declared.workload == Workload::kCollective || !is_shown_by_cells(input, pairs)) {
    return {};
  }
  const std::vector<ShownCell> rows = shown_cells_of(input, pairs);
  std::vector<const CellRow*> cells;
  for (const ShownCell& row : rows) {
    cells.push_back(row.cell);
  }
  return one_table(
      cell_table_columns(input, pairs, time_scale(input, cells), rows.size()), rows, most_rows);
}

bool lacks_efficiency(const ReportInput& input) {
  const std::vector<Pair> pairs = pairs_of(input);
  return input.study.scaling != Scaling::kNone && std::ranges::any_of(pairs, [&](const Pair& pair) {
           return pair.cell->devices != pair.base->devices &&
                  input.comparison(pair.cell->id, names::kEfficiency) == nullptr;
         });
}

}  // namespace

Section cells_section() {
  return {table_tags("cells",
                     "all cells, each base as a row; none where pairs say it in fewer rows",
                     heads_of(cell_table_columns(empty_input(), {}, {"ms", 1e3}, 0))) +
              Tags{{"lacks_efficiency",
                    TagKind::kFlag,
                    "some cell of other devices than its base differs in more, so it has none"}},
          [](View& view, const ReportInput& input, const Figures&) {
            view.set_list("cells", cell_table(input));
            view.set_flag("lacks_efficiency", lacks_efficiency(input));
          }};
}

}  // namespace scalestudy::report
