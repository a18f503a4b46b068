// The list of sections, and what they share.
#include "harness/report/sections/sections.h"

#include <algorithm>
#include <iterator>

#include "harness/report/sections/alt_text.h"
#include "harness/text/text.h"

namespace scalestudy::report {

const std::vector<Section>& report_sections() {
  static const std::vector<Section> kSections = {
      study_section(),      methods_section(),   answer_section(),     search_section(),
      results_section(),    speedups_section(),  bands_section(),      metrics_section(),
      epochs_section(),     overheads_section(), phases_section(),     communication_section(),
      devices_section(),    messages_section(),  pairs_section(),      overview_section(),
      settings_section(),   sides_section(),     usage_section(),      memory_section(),
      recovery_section(),   costs_section(),     energies_section(),   cost_parts_section(),
      missing_section(),    targets_section(),   thresholds_section(), laws_section(),
      projection_section(), published_section(), precision_section(),  outliers_section(),
      trials_section(),     threats_section(),   lint_section(),       environment_section()};
  return kSections;
}

std::span<const TagInfo> template_tags() {
  static const Tags kTags = [] {
    Tags tags = {{"query",
                  TagKind::kSql,
                  "the rows of a reading SQL statement as a table; `:study` is this study's name"}};
    for (const Section& section : report_sections()) {
      tags = std::move(tags) + section.tags;
    }
    return tags;
  }();
  return kTags;
}

View build_view(const ReportInput& input, const FigurePaths& figures) {
  View view;
  for (const Section& section : report_sections()) {
    section.fill(view, input, figures);
  }
  return view;
}

const ReportInput& empty_input() {
  static const ReportInput kEmpty;
  return kEmpty;
}

View::List group_tables(const ReportInput& input,
                        const FigurePaths& figures,
                        const std::string& figure_kind,
                        const std::function<View::List(const Group&)>& table) {
  View::List tables;
  const std::vector<Group> groups = group_cells(input);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (View& view : table(groups[i])) {
      view.set_text("label", groups[i].label);
      View::List paths;
      if (const auto found = figures.find({figure_kind, i}); found != figures.end()) {
        for (const std::string& path : found->second) {
          paths.emplace_back();
          paths.back().set_text("path", path);
          paths.back().set_text("alt", alt_text(input, figure_kind, groups[i], path));
        }
      }
      if (!figure_kind.empty()) {
        view.set_list("figures", std::move(paths));
      }
      tables.push_back(std::move(view));
    }
  }
  return tables;
}

Tags group_table_tags(const std::string& name,
                      const std::string& meaning,
                      const std::vector<ColumnHead>& heads,
                      const std::string& figures) {
  Tags tags = table_tags(name, meaning, heads);
  tags.push_back(
      {name + ".label", TagKind::kText, "model=mlp-4096; absent where there is one group"});
  if (!figures.empty()) {
    tags.push_back({name + ".figures", TagKind::kList, figures});
    tags.push_back({name + ".figures.path", TagKind::kText, "path"});
    tags.push_back({name + ".figures.alt", TagKind::kText, "what it shows, in words"});
  }
  return tags;
}

std::vector<CellComparison> compared_cells(const ReportInput& input,
                                           const Group& group,
                                           const std::string& quantity) {
  std::vector<CellComparison> rows;
  for (const CellRow* cell : group.cells) {
    if (const ComparisonRow* row = input.comparison(cell->id, quantity)) {
      rows.push_back({cell, row});
    }
  }
  return rows;
}

void add_remarks(View::List& tables,
                 const ReportInput& input,
                 const std::vector<const ComparisonRow*>& rows) {
  constexpr std::size_t most_remarks = 10;
  std::vector<std::pair<std::string, std::vector<std::string>>> together;
  for (const ComparisonRow* row : rows) {
    auto found = std::find_if(together.begin(), together.end(), [&](const auto& entry) {
      return entry.first == row->remark;
    });
    if (found == together.end()) {
      found = together.insert(together.end(), {row->remark, {}});
    }
    found->second.push_back(cell_name(input, input.cell(row->cell_id)));
  }
  std::erase_if(together, [](const auto& entry) { return entry.first.empty(); });
  View::List remarks;
  for (const auto& [remark, cells] : together) {
    if (together.size() <= most_remarks) {
      remarks.emplace_back();
      remarks.back().set_text("cells", cells.size() == rows.size() ? "All rows" : list_some(cells));
      remarks.back().set_text("remark", remark);
    }
  }
  for (View& table : tables) {
    table.set_list("remarks", remarks);
  }
}

Tags remark_tags(const std::string& name) {
  return {{name + ".remarks",
           TagKind::kList,
           "what its columns do not say; none where there are more than ten"},
          {name + ".remarks.cells", TagKind::kText, "All rows, or the cells it is about"},
          {name + ".remarks.remark",
           TagKind::kText,
           "how far apart cells may be, what was left out ..."}};
}

View::List comparison_table(const ReportInput& input,
                            const std::vector<Column<CellComparison>>& columns,
                            const std::vector<CellComparison>& rows) {
  std::vector<const ComparisonRow*> compared;
  for (const CellComparison& row : rows) {
    compared.push_back(row.row);
  }
  View::List tables = one_table(columns, rows);
  add_remarks(tables, input, compared);
  return tables;
}

Tags comparison_table_tags(const std::string& name,
                           const std::string& meaning,
                           const std::vector<ColumnHead>& heads,
                           const std::string& figures) {
  return group_table_tags(name, meaning, heads, figures) + remark_tags(name);
}

std::string devices_text(const CellRow& cell) {
  return count_text(cell.devices) + (cell.oversubscribed ? " †" : "");
}

std::string batch_heading(const ReportInput& input, const std::string& name) {
  const std::string label = label_of(input, name);
  return label != name ? label : name == "batch_global" ? "Global batch" : "Batch per device";
}

ColumnHead devices_head(const ReportInput& input) {
  const bool has_devices = std::any_of(
      input.cells.begin(), input.cells.end(), [](const CellRow& cell) { return cell.devices > 1; });
  const std::string label = label_of(input, "devices");
  return {"devices",
          label == "devices" ? "Devices" : label,
          "devices; † where they were oversubscribed",
          Align::kNumber,
          has_devices ? Shown::kAlways : Shown::kNever};
}

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "";
}

}  // namespace scalestudy::report
