#include "harness/import/tool_table.h"

#include <utility>

#include <fmt/format.h>

#include "harness/audit/dataset/read_declaration.h"

namespace scalestudy {

audit::Column make_column(const std::string& name,
                          const std::string& quantity,
                          const std::string& unit,
                          audit::Conditions at) {
  audit::Column column;
  column.name = name;
  column.declared.quantity = quantity;
  column.declared.unit = unit;
  column.declared.at.conditions = std::move(at);
  return column;
}

audit::Cell read_tool_cell(const audit::Column& column,
                           const PlacedText& field,
                           const std::string& path,
                           std::vector<Problem>& problems) {
  audit::Cell cell;
  cell.place = {path, field.line, field.column};
  audit::FigureReading reading = audit::reading_for(column.declared);
  if (reading.dimension == audit::Dimension::kLabel) {
    cell.label = field.text;
    return cell;
  }
  reading.zeros_are_digits = true;
  const audit::ParsedFigure parsed = audit::parse_figure(field.text, reading);
  const bool is_amount = reading.dimension == audit::Dimension::kTime ||
                         reading.dimension == audit::Dimension::kBandwidth;
  if (parsed.figure && parsed.figure->range && is_amount && parsed.figure->range->hi < 0.0) {
    problems.push_back({field.line,
                        field.column,
                        fmt::format("{}: {} cannot be negative", column.name, field.text)});
  } else if (parsed.figure) {
    cell.figure = *parsed.figure;
  } else {
    problems.push_back(
        {field.line, field.column, fmt::format("{}: {}", column.name, parsed.problem)});
  }
  return cell;
}

audit::Statement make_tool_statement(const std::string& id,
                                     const audit::Column& meaning,
                                     const PlacedText& field,
                                     const std::string& path,
                                     std::vector<Problem>& problems) {
  audit::Statement statement;
  statement.id = id;
  statement.where = fmt::format("line {}", field.line);
  statement.declared = meaning.declared;
  const audit::Cell cell = read_tool_cell(meaning, field, path, problems);
  statement.figure = cell.figure;
  statement.place = cell.place;
  return statement;
}

}  // namespace scalestudy
