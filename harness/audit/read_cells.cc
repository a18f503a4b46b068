// Checks the head, then reads column by column: what a column's zeros mean shows in all its cells.
#include "harness/audit/read_cells.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/csv_text.h"
#include "harness/audit/read_declaration.h"

namespace scalestudy::audit {
namespace {

constexpr std::size_t kMostRows = 10'000;

bool check_head(const std::vector<CsvField>& head,
                const Table& table,
                std::vector<Problem>& problems) {
  const std::size_t before = problems.size();
  for (std::size_t c = 0; c < std::max(head.size(), table.columns.size()); ++c) {
    if (c >= head.size()) {
      problems.push_back({head.back().line,
                          head.back().column,
                          fmt::format("the head ends here; dataset.yaml declares column {} next",
                                      table.columns[c].name)});
      break;
    }
    const std::string expected = c < table.columns.size() ? table.columns[c].name : "";
    if (head[c].text != expected) {
      problems.push_back({head[c].line,
                          head[c].column,
                          fmt::format("the head says \"{}\"; dataset.yaml declares {} here",
                                      head[c].text,
                                      expected.empty() ? "no further column" : expected)});
      break;
    }
  }
  return problems.size() == before;
}

// Whether a column of percentages or ratios prints its zeros as digits: another cell shows a digit
// in that place.
bool shows_last_digit(const std::vector<Figure>& figures) {
  return std::any_of(figures.begin(), figures.end(), [](const Figure& figure) {
    return figure.form == FigureForm::kRounded && figure.decimals >= 0 && *figure.value != 0.0;
  });
}

void read_column(const std::vector<std::vector<CsvField>>& lines,
                 std::size_t c,
                 Table& table,
                 const std::string& path,
                 std::vector<Problem>& problems) {
  FigureReading reading = reading_for(table.columns[c].declared);
  const auto parse_all = [&](bool reports) {
    std::vector<Figure> figures;
    for (std::size_t r = 1; r < lines.size(); ++r) {
      const CsvField& field = lines[r][c];
      const ParsedFigure parsed = parse_figure(field.text, reading);
      figures.push_back(parsed.figure.value_or(Figure()));
      if (!parsed.figure && reports) {
        problems.push_back({field.line, field.column, parsed.problem});
      }
    }
    return figures;
  };
  std::vector<Figure> figures(lines.size() - 1);
  if (reading.dimension != Dimension::kLabel) {
    figures = parse_all(true);
    if (!reading.zeros_are_digits && reading.dimension == Dimension::kRatio &&
        shows_last_digit(figures)) {
      reading.zeros_are_digits = true;
      figures = parse_all(false);
    }
  }
  for (std::size_t r = 1; r < lines.size(); ++r) {
    const CsvField& field = lines[r][c];
    Cell& cell = table.rows[r - 1][c];
    cell.place = {path, field.line, field.column};
    if (reading.dimension == Dimension::kLabel) {
      cell.label = field.text;
    } else {
      cell.figure = figures[r - 1];
    }
  }
}

}  // namespace

void read_cells(const std::string& text,
                const std::string& path,
                Table& table,
                std::vector<Problem>& problems) {
  const std::vector<std::vector<CsvField>> lines = parse_csv(text, problems);
  if (!problems.empty()) {
    return;
  }
  if (lines.size() < 2) {
    problems.push_back({0, 0, "the file has no rows; a head and one row are required"});
    return;
  }
  if (lines.size() - 1 > kMostRows) {
    problems.push_back(
        {0, 0, fmt::format("more than {} rows; this is no printed table", kMostRows)});
    return;
  }
  if (!check_head(lines.front(), table, problems)) {
    return;
  }
  for (const std::vector<CsvField>& line : lines) {
    if (line.size() != table.columns.size()) {
      problems.push_back({line.front().line,
                          line.front().column,
                          fmt::format("this row has {} fields, the head {}; a figure with a comma "
                                      "is written \"1,234\"",
                                      line.size(),
                                      table.columns.size())});
    }
  }
  if (!problems.empty()) {
    return;
  }
  table.rows.assign(lines.size() - 1, std::vector<Cell>(table.columns.size()));
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    read_column(lines, c, table, path, problems);
  }
}

}  // namespace scalestudy::audit
