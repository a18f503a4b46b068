// `tables`: columns, shared conditions, the CSV file.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "harness/audit/dataset/read_cells.h"
#include "harness/audit/dataset/read_sections.h"
#include "harness/base/read_file.h"

namespace scalestudy::audit {
namespace {

namespace fs = std::filesystem;

Column read_column(const YamlNode& node, const std::string& name, ReadContext& context) {
  Column column;
  Fields fields(node,
                name,
                with_declaration({"column", "heading", "total", "notes", "guess"}),
                context.problems);
  if (!fields.is_map()) {
    return column;
  }
  column.name = read_name(fields, "column", NameRule::kSql);
  if (column.name == "row") {
    fields.problem("column", "row is the number of the row in SQL; name the column otherwise");
  }
  column.heading = fields.text("heading").value_or(column.name);
  column.declared = read_declaration(fields, true, context);
  if (const auto total = fields.choice("total", {"true", "false"})) {
    column.declared.is_summed = *total == "true";
  }
  fields.text("notes");
  column.guess = fields.text("guess").value_or("");
  column.place = place_of(node, context);
  return column;
}

// Columns that rules name must be columns of the table with figures.
void check_rule_columns(const Table& table,
                        const Column& column,
                        const YamlNode& node,
                        ReadContext& context) {
  std::vector<std::string> used;
  if (column.declared.follows) {
    used = column.declared.follows->columns;
  }
  if (!column.declared.part_of_column.empty()) {
    used.push_back(column.declared.part_of_column);
  }
  std::vector<std::string> names;
  for (const Column& other : table.columns) {
    const QuantityInfo* info = find_quantity(other.declared.quantity);
    if (info != nullptr && info->dimension != Dimension::kLabel && other.name != column.name) {
      names.push_back(other.name);
    }
  }
  for (const std::string& name : used) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      context.problems.add(
          node,
          fmt::format("column {}: the table has no other column of figures \"{}\"{}",
                      column.name,
                      name,
                      suggestion(name, names)));
    }
  }
}

void read_columns(Fields& fields, Table& table, ReadContext& context) {
  const YamlNode* list = fields.require("columns") ? fields.list("columns") : nullptr;
  if (list == nullptr) {
    return;
  }
  if (list->items.empty()) {
    fields.problem("columns", fields.path("columns") + " is empty");
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    Column column =
        read_column(list->items[i], fmt::format("{}.columns[{}]", table.name, i + 1), context);
    if (!column.name.empty() && !is_new_name(table.columns, column.name, &Column::name)) {
      context.problems.add(list->items[i], fmt::format("column {} is given twice", column.name));
    }
    table.columns.push_back(std::move(column));
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    check_rule_columns(table, table.columns[i], list->items[i], context);
  }
}

// The CSV file's problems, formatted; empty when there are none.
std::string read_table_file(const std::string& name, Table& table, const ReadContext& context) {
  const fs::path path = context.dataset.folder / name;
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) {
    return fmt::format("{}: is a link; the files of a dataset are in its folder", path.string());
  }
  const std::string text = read_given_file(path);
  std::vector<Problem> problems;
  read_cells(text, path.string(), table, problems);
  return problems.empty() ? "" : format_problems(problems, text, path.string());
}

}  // namespace

void read_table(const YamlNode& node,
                std::size_t index,
                ReadContext& context,
                std::vector<std::string>& file_problems) {
  Fields fields(node,
                fmt::format("tables[{}]", index + 1),
                {"table", "file", "where", "experiment", "fixed", "total_row", "columns", "notes"},
                context.problems);
  if (!fields.is_map()) {
    return;
  }
  Table table;
  const std::size_t before = context.problems.size();
  table.name = read_name(fields, "table", NameRule::kSql);
  if (table.name == "statements" || table.name.starts_with("sqlite_")) {
    fields.problem("table", "this name means something else in SQL; choose another");
  }
  if (!is_new_name(context.dataset.tables, table.name, &Table::name)) {
    fields.problem("table", fmt::format("table {} is given twice", table.name));
  }
  const std::string file = read_name(fields, "file", NameRule::kFile);
  fields.require("where");
  table.where = fields.text("where").value_or("");
  table.experiment = fields.text("experiment").value_or(table.name);
  table.fixed = read_given(fields, "fixed", context);
  table.total_row = read_given(fields, "total_row", context).conditions;
  fields.text("notes");
  read_columns(fields, table, context);
  if (context.problems.size() == before) {
    const std::string problems = read_table_file(file, table, context);
    if (!problems.empty()) {
      file_problems.push_back(problems);
    }
  }
  context.dataset.tables.push_back(std::move(table));
}

}  // namespace scalestudy::audit
