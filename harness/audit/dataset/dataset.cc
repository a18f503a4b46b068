// Figures of a dataset with their conditions; folders of datasets.
#include "harness/audit/dataset/dataset.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/figure/quantity.h"
#include "harness/base/error.h"

namespace scalestudy::audit {
namespace {

namespace fs = std::filesystem;

void set_all(Conditions& conditions, const Conditions& others) {
  for (const auto& [name, value] : others) {
    conditions[name] = value;
  }
}

bool holds_dataset(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "dataset.yaml", ignored);
}

}  // namespace

const Table* find_table(const Dataset& dataset, const std::string& name) {
  const auto found = std::ranges::find(dataset.tables, name, &Table::name);
  return found == dataset.tables.end() ? nullptr : &*found;
}

std::string condition_name(const Column& column) {
  return column.declared.quantity == "label" ? column.name : column.declared.quantity;
}

std::string condition_text(const Figure& figure) {
  return figure.value ? fmt::format("{}", *figure.value) : figure.printed;
}

Conditions row_conditions(const Table& table, std::size_t row) {
  Conditions conditions = table.fixed.conditions;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const Column& column = table.columns[c];
    const QuantityInfo& info = *find_quantity(column.declared.quantity);
    const Cell& cell = table.rows[row][c];
    if (info.is_condition && info.dimension == Dimension::kLabel) {
      conditions[condition_name(column)] = cell.label;
    } else if (info.is_condition && cell.figure.form != FigureForm::kAbsent &&
               !column.declared.follows && column.declared.at.conditions.empty()) {
      conditions[condition_name(column)] = condition_text(cell.figure);
    }
  }
  return conditions;
}

bool agree(const Conditions& conditions, const Conditions& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
    const auto found = conditions.find(entry.first);
    return found != conditions.end() && found->second == entry.second;
  });
}

std::vector<PrintedFigure> printed_figures(const Dataset& dataset) {
  std::vector<PrintedFigure> figures;
  for (const Table& table : dataset.tables) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
      const Conditions row = row_conditions(table, r);
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        const Column& column = table.columns[c];
        const Cell& cell = table.rows[r][c];
        if (cell.figure.form == FigureForm::kAbsent) {
          continue;
        }
        Conditions conditions = row;
        set_all(conditions, column.declared.at.conditions);
        figures.push_back({table.name,
                           static_cast<int>(r) + 1,
                           column.name,
                           table.where,
                           column.declared.quantity,
                           table.experiment,
                           std::move(conditions),
                           cell.figure,
                           cell.place});
      }
    }
  }
  for (const Statement& statement : dataset.statements) {
    figures.push_back({"",
                       0,
                       statement.id,
                       statement.where,
                       statement.declared.quantity,
                       statement.experiment,
                       statement.declared.at.conditions,
                       statement.figure,
                       statement.place});
  }
  return figures;
}

std::vector<fs::path> dataset_folders(const std::vector<std::string>& paths) {
  std::vector<fs::path> folders;
  for (const std::string& path : paths) {
    if (holds_dataset(path)) {
      folders.emplace_back(path);
      continue;
    }
    std::error_code error;
    std::vector<fs::path> below;
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      if (holds_dataset(entry.path())) {
        below.push_back(entry.path());
      }
    }
    if (below.empty()) {
      throw Error(ErrorKind::kUsage,
                  fmt::format("{}: no dataset here; a folder with a dataset.yaml, or a folder of "
                              "such folders, is required (data/published/FORMAT.md)",
                              path));
    }
    std::sort(below.begin(), below.end());
    folders.insert(folders.end(), below.begin(), below.end());
  }
  return folders;
}

}  // namespace scalestudy::audit
