// `statements`: figures of the text and what they claim.
#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/dataset/read_sections.h"

namespace scalestudy::audit {
namespace {

const Table* require_table(const YamlNode& at, const std::string& name, ReadContext& context) {
  const Table* table = find_table(context.dataset, name);
  if (table == nullptr) {
    std::vector<std::string> names;
    for (const Table& known : context.dataset.tables) {
      names.push_back(known.name);
    }
    context.problems.add(at,
                         fmt::format("there is no table \"{}\"{}", name, suggestion(name, names)));
  }
  return table;
}

void read_optimum(Fields& statement, Statement& result, ReadContext& context) {
  const YamlNode* node = statement.map("optimum");
  if (node == nullptr) {
    return;
  }
  Fields fields(*node, statement.path("optimum"), {"table", "column", "best"}, context.problems);
  if (!fields.require("table") || !fields.require("column") || !fields.require("best")) {
    return;
  }
  Optimum optimum;
  optimum.table = fields.text("table").value_or("");
  optimum.column = fields.text("column").value_or("");
  optimum.is_highest = fields.choice("best", {"highest", "lowest"}) == "highest";
  const Table* table = require_table(*node, optimum.table, context);
  if (table == nullptr) {
    return;
  }
  const auto has = [&](const auto& test) {
    return std::any_of(table->columns.begin(), table->columns.end(), test);
  };
  if (!has([&](const Column& column) { return column.name == optimum.column; })) {
    fields.problem("column",
                   fmt::format("table {} has no column \"{}\"", table->name, optimum.column));
  }
  if (!has([&](const Column& c) { return c.declared.quantity == result.declared.quantity; })) {
    fields.problem("table",
                   fmt::format("table {} has no column of {}, the statement's quantity",
                               table->name,
                               result.declared.quantity));
  }
  result.optimum = optimum;
}

void read_comparison(Fields& statement, Statement& result, ReadContext& context) {
  const YamlNode* node = statement.map("comparison");
  if (node == nullptr) {
    return;
  }
  Fields fields(*node, statement.path("comparison"), {"left", "right", "vary"}, context.problems);
  fields.require("left");
  fields.require("right");
  result.comparison = Comparison{read_given(fields, "left", context).conditions,
                                 read_given(fields, "right", context).conditions,
                                 read_names(fields, "vary", context)};
}

void read_printed(Fields& fields, Statement& statement) {
  if (!fields.require("printed") || statement.declared.quantity.empty()) {
    return;
  }
  const std::optional<std::string> printed = fields.text("printed");
  if (!printed) {
    return;
  }
  const ParsedFigure parsed = parse_figure(*printed, reading_for(statement.declared));
  if (!parsed.figure) {
    fields.problem("printed", fields.path("printed") + ": " + parsed.problem);
  } else if (parsed.figure->form == FigureForm::kAbsent) {
    fields.problem("printed", fields.path("printed") + ": nothing is printed; leave it out");
  } else {
    statement.figure = *parsed.figure;
  }
}

}  // namespace

void read_statement(const YamlNode& node, std::size_t index, ReadContext& context) {
  Fields fields(
      node,
      fmt::format("statements[{}]", index + 1),
      with_declaration(
          {"id", "where", "printed", "experiment", "optimum", "break_even", "comparison", "notes"}),
      context.problems);
  if (!fields.is_map()) {
    return;
  }
  Statement statement;
  statement.id = read_name(fields, "id", NameRule::kPlain);
  if (!is_new_name(context.dataset.statements, statement.id, &Statement::id)) {
    fields.problem("id", fmt::format("statement {} is given twice", statement.id));
  }
  fields.require("where");
  statement.where = fields.text("where").value_or("");
  statement.experiment = fields.text("experiment").value_or("statement " + statement.id);
  statement.declared = read_declaration(fields, false, context);
  const QuantityInfo* info = find_quantity(statement.declared.quantity);
  if (info != nullptr && info->dimension == Dimension::kLabel) {
    fields.problem("quantity", "a statement is a figure; text is none");
  } else {
    read_printed(fields, statement);
  }
  read_optimum(fields, statement, context);
  read_comparison(fields, statement, context);
  statement.break_even_tables = read_names(fields, "break_even", context);
  for (const std::string& table : statement.break_even_tables) {
    require_table(*fields.find("break_even"), table, context);
  }
  fields.text("notes");
  statement.place = place_of(node, context);
  context.dataset.statements.push_back(std::move(statement));
}

}  // namespace scalestudy::audit
