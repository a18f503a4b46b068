// Checks the head, then reads column by column: what a column's zeros mean shows in all its cells.
#include "harness/audit/dataset/read_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

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

// Whether the figure's zeros may be read by what others of its column show. With a spread or an
// interval each is rounded as that is.
bool is_plain(const std::optional<Figure>& figure) {
  return figure && figure->form == FigureForm::kRounded && !figure->spread && !figure->interval;
}

// Whether the number is printed to its last digit. An integer that ends in 5 may be rounded to
// fives, one that ends in 0 to tens.
bool shows_units(const Figure& figure) {
  constexpr double ten = 10.0;
  constexpr double five = 5.0;
  return figure.decimals > 0 ||
         (figure.decimals == 0 &&
          std::fmod(std::round(std::abs(*figure.value) / figure.unit_size), ten) != five);
}

// A unit's size, and how many digits are before the point: numbers with as many are rounded alike.
using Magnitude = std::pair<double, int>;

Magnitude magnitude_of(const Figure& figure) {
  constexpr double slack = 1.0 + 1e-9;  // 100 ms over 1 ms may be 99.999...
  const double number = std::abs(*figure.value) / figure.unit_size * slack;
  return {figure.unit_size, number < 1.0 ? 0 : static_cast<int>(std::log10(number)) + 1};
}

// The magnitudes of which two numbers or more show units, and more than do not.
std::set<Magnitude> shown_magnitudes(const std::vector<ParsedFigure>& figures) {
  constexpr int fewest = 2;
  std::map<Magnitude, std::pair<int, int>> counts;  // that show units, and that do not
  for (const ParsedFigure& parsed : figures) {
    if (is_plain(parsed.figure)) {
      auto& [shown, rounded] = counts[magnitude_of(*parsed.figure)];
      ++(shows_units(*parsed.figure) ? shown : rounded);
    }
  }
  std::set<Magnitude> magnitudes;
  for (const auto& [magnitude, count] : counts) {
    if (count.first >= fewest && count.first > count.second) {
      magnitudes.insert(magnitude);
    }
  }
  return magnitudes;
}

// The largest number of each unit that shows units. A column seldom rounds a smaller number further
// than a larger one.
std::map<double, double> largest_with_digits(const std::vector<ParsedFigure>& figures) {
  std::map<double, double> largest;
  for (const ParsedFigure& parsed : figures) {
    if (is_plain(parsed.figure) && shows_units(*parsed.figure)) {
      double& known = largest[parsed.figure->unit_size];
      known = std::max(known, std::abs(*parsed.figure->value));
    }
  }
  return largest;
}

// What a column of integers seems to be rounded to: 5, 25 or 50 units if three or more differ and
// all are multiples of that, but not all of its double. 0 if it seems to be rounded to its digits.
double coarse_step(const std::vector<ParsedFigure>& figures) {
  constexpr std::size_t fewest = 3;
  constexpr double five = 5.0;
  constexpr double least_in_steps = 10.0;  // nobody rounds 60 to 50
  constexpr auto steps = std::to_array<double>({50.0, 25.0, five});
  std::set<double> integers;
  std::set<double> units;
  for (const ParsedFigure& parsed : figures) {
    if (!parsed.figure || parsed.figure->form == FigureForm::kAbsent) {
      continue;
    }
    units.insert(parsed.figure->unit_size);
    if (!is_plain(parsed.figure) || parsed.figure->printed.find('.') != std::string::npos ||
        units.size() > 1) {
      return 0.0;
    }
    integers.insert(std::round(std::abs(*parsed.figure->value) / parsed.figure->unit_size));
  }
  const auto are_multiples = [&](double step) {
    return std::all_of(integers.begin(), integers.end(), [step](double integer) {
      return std::fmod(integer, step) == 0.0;
    });
  };
  for (const double step : steps) {
    if (integers.size() >= fewest && are_multiples(step) && !are_multiples(2.0 * step) &&
        (step == five || *integers.begin() >= least_in_steps * step)) {
      return step;
    }
  }
  return 0.0;
}

// Widens each figure's range to what rounds to it in steps that large.
void round_to_step(std::vector<ParsedFigure>& figures, double step) {
  for (ParsedFigure& parsed : figures) {
    if (step > 0.0 && is_plain(parsed.figure)) {
      Figure& figure = *parsed.figure;
      const double half = step * figure.unit_size / 2.0;
      figure.range->lo = std::min(figure.range->lo, *figure.value - half);
      figure.range->hi = std::max(figure.range->hi, *figure.value + half);
    }
  }
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

std::vector<ParsedFigure> parse_by_zeros(const std::vector<std::string>& texts,
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
  const bool is_ratio = reading.dimension == Dimension::kRatio;
  if (reading.zeros_are_digits || (!is_ratio && declared.zeros != Zeros::kShown)) {
    return figures;
  }
  reading.zeros_are_digits = true;
  if (is_ratio) {
    return shows_last_digit(figures) ? parse_all() : figures;
  }
  const std::map<double, double> largest = largest_with_digits(figures);
  const std::set<Magnitude> magnitudes = shown_magnitudes(figures);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::optional<Figure>& figure = figures[i].figure;
    if (!is_plain(figure)) {
      continue;
    }
    const auto known = largest.find(figure->unit_size);
    if (magnitudes.contains(magnitude_of(*figure)) ||
        (known != largest.end() && std::abs(*figure->value) < known->second)) {
      figures[i] = parse_figure(texts[i], reading);
    }
  }
  return figures;
}

}  // namespace

std::vector<ParsedFigure> parse_column(const std::vector<std::string>& texts,
                                       const Declaration& declared) {
  std::vector<ParsedFigure> figures = parse_by_zeros(texts, declared);
  const FigureReading reading = reading_for(declared);
  if (!reading.is_exact && !reading.zeros_are_digits && declared.zeros != Zeros::kShown) {
    round_to_step(figures, coarse_step(figures));
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
