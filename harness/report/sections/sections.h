// The sections of a report: each has the tags it offers to templates, and fills them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/figures/figures.h"
#include "harness/report/input/cell_names.h"
#include "harness/report/input/groups.h"
#include "harness/report/input/input.h"
#include "harness/report/template/table.h"
#include "harness/text/measure.h"

namespace scalestudy::report {

struct Section {
  Tags tags;
  std::function<void(View& view, const ReportInput& input, const FigurePaths& figures)> fill;
};

// All of them; the order is that of the list in templates/README.md.
const std::vector<Section>& report_sections();

// The tags of all sections, and `query`: what a study's template may use.
std::span<const TagInfo> template_tags();

// The values of all tags. Below, each section in the file of its name.
View build_view(const ReportInput& input, const FigurePaths& figures);

Section study_section(), methods_section(), answer_section(), results_section(), speedups_section(),
    overheads_section(), phases_section(), communication_section(), messages_section(),
    metrics_section(), overview_section(), settings_section(), sides_section(), usage_section(),
    memory_section(), costs_section(), energies_section(), cost_parts_section(), missing_section(),
    targets_section(), epochs_section(), thresholds_section(), laws_section(), projection_section(),
    published_section(), precision_section(), outliers_section(), trials_section(),
    threats_section(), environment_section(), search_section(), devices_section(), pairs_section(),
    bands_section(), lint_section(), recovery_section();

// ---- What sections share -----------------------------------------------------------------------
// Of no study: columns made for it name their tags.
const ReportInput& empty_input();

// The tables of a section, one a group: the list that `table` makes of it (none where there is
// nothing to show), with label and, where figures are of that kind, figures (path).
View::List group_tables(const ReportInput& input,
                        const FigurePaths& figures,
                        const std::string& figure_kind,
                        const std::function<View::List(const Group&)>& table);

// table_tags, and those that group_tables adds.
Tags group_table_tags(const std::string& name,
                      const std::string& meaning,
                      const std::vector<ColumnHead>& heads,
                      const std::string& figures = "");

// A cell of a table, and what it is compared with there; to columns of cells like a pointer to it.
struct CellComparison {
  const CellRow* cell = nullptr;
  const ComparisonRow* row = nullptr;

  const CellRow& operator*() const { return *cell; }
};

// Cells of the group that have this comparison, with it.
std::vector<CellComparison> compared_cells(const ReportInput& input,
                                           const Group& group,
                                           const std::string& quantity);

// Sets the list remarks (cells, remark) of tables of these comparisons: what their columns do not
// say, cells that share it together; none where they are too many to be read.
void add_remarks(View::List& tables,
                 const ReportInput& input,
                 const std::vector<const ComparisonRow*>& rows);
Tags remark_tags(const std::string& name);

// The table of these comparisons, with its remarks.
View::List comparison_table(const ReportInput& input,
                            const std::vector<Column<CellComparison>>& columns,
                            const std::vector<CellComparison>& rows);
Tags comparison_table_tags(const std::string& name,
                           const std::string& meaning,
                           const std::vector<ColumnHead>& heads,
                           const std::string& figures = "");

// "2", or "2 †" of a cell that makes no claim about performance; "256".
std::string devices_text(const CellRow& cell);
std::string count_text(const std::optional<std::int64_t>& count);

// "Global batch", "Batch per device", or the study's label of it.
std::string batch_heading(const ReportInput& input, const std::string& name);

// Of the column of devices; a study in which all cells have one shows none.
ColumnHead devices_head(const ReportInput& input);

// The columns by which a row of a group's table says which cell it is about: devices, the batch
// that the scaling holds fixed, configuration; by their tags cell, batch_global, batch_per_device.
// And then `more`.
template <typename Row>
std::vector<Column<Row>> with_cell_columns(const ReportInput& input,
                                           const std::vector<Column<Row>>& more) {
  const bool is_weak = input.study.scaling == Scaling::kWeak;
  std::vector<Column<Row>> columns = {
      {devices_head(input), [](const Row& row) { return devices_text(*row); }},
      {{"batch",
        batch_heading(input, is_weak ? "batch_per_device" : "batch_global"),
        "the batch that the scaling holds fixed",
        Align::kNumber,
        Shown::kPresent},
       [&input](const Row& row) { return count_text(fixed_batch(input, *row)); }},
      {{"configuration", "Configuration", "other varied parameters", Align::kText, Shown::kPresent},
       [&input](const Row& row) { return configuration(input, *row); }},
      {{"cell", "", "2 devices, batch 256", Align::kText, Shown::kNever},
       [&input](const Row& row) { return short_name(input, *row); }},
      {{"batch_global", "", "samples of a step over all devices", Align::kNumber, Shown::kNever},
       [](const Row& row) { return count_text((*row).batch_global); }},
      {{"batch_per_device", "", "samples of a step on one device", Align::kNumber, Shown::kNever},
       [](const Row& row) { return count_text((*row).batch_per_device); }},
  };
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

// Sets the list notes (note) of a group's table: why numbers are absent, and what its intervals are
// about where several sessions ran their trials.
void add_notes(View& table, const ReportInput& input, const Group& group);  // results_section.cc

}  // namespace scalestudy::report
