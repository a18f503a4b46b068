// Checks the head, then reads column by column: what a column's zeros mean shows in all its cells.
#include "harness/audit/dataset/read_cells.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/audit/dataset/csv_text.h"
#include "harness/audit/dataset/read_declaration.h"
#include "harness/audit/figure/quantity.h"

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
bool shows_last_digit(const std::vector<ParsedFigure>& figures) {
  return std::any_of(figures.begin(), figures.end(), [](const ParsedFigure& parsed) {
    return parsed.figure && parsed.figure->form == FigureForm::kRounded &&
           parsed.figure->decimals >= 0 && *parsed.figure->value != 0.0;
  });
}

void read_column(const std::vector<std::vector<CsvField>>& lines,
                 std::size_t c,
                 Table& table,
                 const std::string& path,
                 std::vector<Problem>& problems) {
  const Declaration& declared = table.columns[c].declared;
  const bool is_label = find_quantity(declared.quantity)->dimension == Dimension::kLabel;
  std::vector<std::string> texts;
  for (std::size_t r = 1; r < lines.size(); ++r) {
    texts.push_back(lines[r][c].text);
  }
  const std::vector<ParsedFigure> figures =
      is_label ? std::vector<ParsedFigure>() : parse_column(texts, declared);
  for (std::size_t r = 1; r < lines.size(); ++r) {
    const CsvField& field = lines[r][c];
    Cell& cell = table.rows[r - 1][c];
    cell.place = {path, field.line, field.column};
    if (is_label) {
      cell.label = field.text;
    } else if (figures[r - 1].figure) {
      cell.figure = *figures[r - 1].figure;
    } else {
      problems.push_back({field.line, field.column, figures[r - 1].problem});
    }
  }
}

}  // namespace

std::vector<ParsedFigure> parse_column(const std::vector<std::string>& texts,
                                       const Declaration& declared) {
  FigureReading reading = reading_for(declared);
  const auto parse_all = [&] {
    std::vector<ParsedFigure> figures;
    for (const std::string& text : texts) {
      figures.push_back(parse_figure(text, reading));
    }
    return figures;
  };
  std::vector<ParsedFigure> figures = parse_all();
  if (!reading.zeros_are_digits && reading.dimension == Dimension::kRatio &&
      shows_last_digit(figures)) {
    reading.zeros_are_digits = true;
    figures = parse_all();
  }
  return figures;
}

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
        {0, 0, fmt::format("more than {} rows; this is not a printed table", kMostRows)});
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
