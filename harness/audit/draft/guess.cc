// Headings by a table of patterns, in order; a guess counts only if all cells can be read so.
#include "harness/audit/draft/guess.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/dataset/read_cells.h"
#include "harness/audit/draft/guess_beside.h"
#include "harness/audit/draft/guess_scaling.h"
#include "harness/audit/draft/heading_patterns.h"
#include "harness/audit/draft/split_cells.h"
#include "harness/audit/figure/figure_text.h"
#include "harness/audit/figure/quantity.h"
#include "harness/text/text.h"
#include "harness/text/yaml_text.h"

namespace scalestudy::audit {
namespace {

constexpr const char* kPrecision = R"((?i)\b(TF32|FP32|FP16|BF16|FP8|AMP|mixed precision|mixed)\b)";
// For columns no pattern knows: by what their figures are.
constexpr const char* kPlain[] = {"time", "rate", "size", "bandwidth", "money", "ratio"};

std::string name_from(const std::string& heading, const std::vector<Guess>& others) {
  constexpr std::size_t longest = 40;
  std::string name = plain_name(heading, '_', longest);
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name.front())) == 0 ||
      name == "row") {
    name = "c_" + name;
  }
  const auto is_taken = [&](const std::string& text) {
    return std::any_of(
        others.begin(), others.end(), [&](const Guess& other) { return other.name == text; });
  };
  std::string unique = name;
  for (int number = 2; is_taken(unique); ++number) {
    unique = fmt::format("{}_{}", name, number);
  }
  return unique;
}

// The heading without a footnote mark: "Speedup" of "Speedup [a]".
std::string without_mark(const std::string& heading) {
  std::string text;
  std::string mark;
  const bool is_marked = RE2::FullMatch(heading, R"((.*?)\s*\[([a-z]|\d\d?)\]\s*)", &text, &mark) &&
                         !is_unit(mark) && !unit_scale(mark, Dimension::kRate);
  return is_marked ? text : heading;
}

std::vector<std::string> cells_of(const DocumentTable& table, std::size_t column) {
  std::vector<std::string> cells;
  for (const std::vector<std::string>& row : table.rows) {
    cells.push_back(row[column]);
  }
  return cells;
}

// Whether all cells are figures of the quantity in that unit, counts whole ones, and one is there.
bool can_be(const std::vector<std::string>& cells,
            const QuantityInfo& info,
            const std::string& unit) {
  Declaration declared;
  declared.quantity = info.name;
  declared.unit = unit;
  declared.is_exact = info.is_exact;
  bool has_any = false;
  for (const ParsedFigure& parsed : parse_column(cells, declared)) {
    if (!parsed.figure) {
      return false;
    }
    if (parsed.figure->form == FigureForm::kAbsent) {
      continue;
    }
    has_any = true;
    if (info.is_exact && info.dimension == Dimension::kCount &&
        (!parsed.figure->value || parsed.figure->decimals > 0 ||
         std::floor(*parsed.figure->value) != *parsed.figure->value || parsed.figure->spread)) {
      return false;
    }
  }
  return has_any;
}

// Whether bare figures below the heading are of another dimension, by the unit that it prints:
// "Overlap (samples/s)" is no ratio, "Parameters (GB)" no count; "DP (d)" is one.
bool is_foreign_to(Dimension dimension, const std::string& heading) {
  const std::string unit = unit_of_heading(heading);
  const bool is_symbol = dimension == Dimension::kCount && unit.size() == 1;
  return !is_symbol && unit_scale("", dimension) && is_unit(unit) && !unit_scale(unit, dimension);
}

// The unit in which the cells are figures of the quantity; nothing when there is none.
// - is_named: the heading names the quantity, so a power of ten alone may be its unit.
std::optional<std::string> unit_for(const std::string& heading,
                                    const std::vector<std::string>& cells,
                                    const QuantityInfo& info,
                                    bool is_named) {
  if (is_foreign_to(info.dimension, heading)) {
    return std::nullopt;
  }
  if (info.dimension == Dimension::kCount) {
    for (const std::string& text : {count_multiplier(heading, info.is_exact), std::string()}) {
      if (can_be(cells, info, text)) {
        return text;
      }
    }
    return std::nullopt;
  }
  std::vector<std::string> texts = unit_texts(heading);
  texts.push_back(is_named ? count_multiplier(heading, true) : "");
  for (const std::string& text : texts) {
    if (!text.empty() && unit_scale(text, info.dimension) && can_be(cells, info, text)) {
      return text;
    }
  }
  return can_be(cells, info, "") ? std::optional<std::string>("") : std::nullopt;
}

// Whether bare figures of what is a part of a whole are percentages: one of them is above 2.
bool is_above_whole(const std::vector<std::string>& cells, const QuantityInfo& info) {
  constexpr double most = 2.0;  // more than linear scaling is no percentage yet
  if (info.dimension != Dimension::kRatio || !info.most || !can_be(cells, info, "%")) {
    return false;
  }
  Declaration declared;
  declared.quantity = info.name;
  const std::vector<ParsedFigure> figures = parse_column(cells, declared);
  return std::any_of(figures.begin(), figures.end(), [](const ParsedFigure& parsed) {
    return parsed.figure && parsed.figure->value.value_or(0.0) > most;
  });
}

// Whether all figures are printed with such a unit: "tok" of "100B tokens".
bool print_unit(const std::vector<std::string>& cells, const char* pattern) {
  return std::all_of(cells.begin(), cells.end(), [&](const std::string& cell) {
    const std::optional<Pieces> pieces = take_apart(cell);
    return is_absent(cell) || (pieces && RE2::PartialMatch(pieces->unit, pattern));
  });
}

bool set_figures(Guess& guess,
                 const std::string& heading,
                 const std::vector<std::string>& cells,
                 const std::string& quantity) {
  const QuantityInfo& info = *find_quantity(quantity);
  if (info.dimension == Dimension::kLabel) {
    const bool is_text = std::none_of(std::begin(kPlain), std::end(kPlain), [&](const char* plain) {
      return unit_for(heading, cells, *find_quantity(plain), false).has_value();
    });
    guess.quantity = is_text ? quantity : "";
    return is_text;
  }
  const std::optional<std::string> unit = unit_for(heading, cells, info, true);
  if (unit) {
    guess.quantity = quantity;
    guess.unit = unit->empty() && is_above_whole(cells, info) ? "%" : *unit;
  }
  return unit.has_value();
}

// What the unit of the cells says more certainly than a heading: tokens, prices of one device.
bool set_by_unit(Guess& guess, const std::string& heading, const std::vector<std::string>& cells) {
  const bool is_of_tokens = RE2::PartialMatch(heading, R"((?i)^(training\s)?data|corpus)") &&
                            print_unit(cells, "(?i)tok") &&
                            set_figures(guess, heading, cells, "tokens");
  return is_of_tokens || (print_unit(cells, R"((?i)/\s*(gpu|device|accelerator)\b)") &&
                          set_figures(guess, heading, cells, "price_per_device_hour"));
}

// What the figures of a column are whose heading says nothing.
bool set_plain(Guess& guess, const std::string& heading, const std::vector<std::string>& cells) {
  for (const char* quantity : kPlain) {
    const QuantityInfo& info = *find_quantity(quantity);
    const std::optional<std::string> unit = unit_for(heading, cells, info, false);
    const bool is_bare = unit && unit->empty() && can_be(cells, *find_quantity("count"), "");
    if (unit && !is_bare) {
      guess.quantity = quantity;
      guess.unit = *unit;
      return true;
    }
  }
  if (can_be(cells, *find_quantity("other"), "")) {
    guess.quantity = "other";
    return true;
  }
  return false;
}

// The cell that keeps a column of figures from being read as such; "" if most cells are text.
std::string obstacle_in(const std::vector<std::string>& cells) {
  std::size_t figures = 0;
  std::size_t texts = 0;
  std::string first;
  for (std::size_t r = 0; r < cells.size(); ++r) {
    if (reads_as_figure(cells[r], false)) {
      ++figures;
    } else if (!is_absent(cells[r])) {
      first = ++texts == 1 ? fmt::format("{} in row {}", yaml_text(cells[r]), r + 1) : first;
    }
  }
  return figures > texts ? first : "";
}

// The first cell with something behind its number that is no unit of what the heading says:
// "7.45x (b)", "10h 30m".
std::string odd_cell(const std::string& heading,
                     const std::vector<std::string>& cells,
                     const QuantityInfo& info) {
  Declaration declared;
  declared.quantity = info.name;
  for (const std::string& text : unit_texts(heading)) {
    if (!text.empty() && unit_scale(text, info.dimension)) {
      declared.unit = text;
      break;
    }
  }
  const std::vector<ParsedFigure> figures = parse_column(cells, declared);
  for (std::size_t r = 0; r < cells.size(); ++r) {
    const std::optional<Pieces> pieces = figures[r].figure ? std::nullopt : take_apart(cells[r]);
    if (pieces && !pieces->unit.empty()) {
      return fmt::format("{} in row {}", yaml_text(cells[r]), r + 1);
    }
  }
  return "";
}

Guess guess_column(const DocumentTable& table,
                   std::size_t column,
                   const std::vector<Guess>& others) {
  const std::string heading = without_mark(table.head[column]);
  const std::vector<std::string> cells = cells_of(table, column);
  Guess guess;
  guess.name = name_from(heading, others);
  if (set_by_unit(guess, heading, cells)) {
    guess.reason = "by its heading and the unit of its cells";
    return guess;
  }
  const QuantityInfo* meant = nullptr;
  const std::string named = without_power(heading);
  for (const auto& [pattern, quantity] : heading_patterns()) {
    const bool is_match = RE2::PartialMatch(named, *pattern);
    if (is_match && meant == nullptr) {
      meant = find_quantity(quantity);
    }
    if (is_match && quantity.empty()) {
      if (set_plain(guess, heading, cells)) {
        guess.reason = "its heading says nothing known, its cells are figures";
        return guess;
      }
      continue;
    }
    if (is_match && set_figures(guess, heading, cells, quantity)) {
      guess.reason = "by its heading";
      return guess;
    }
  }
  const bool is_of_figures = meant != nullptr && meant->dimension != Dimension::kLabel;
  const std::string odd = is_of_figures ? odd_cell(heading, cells, *meant) : "";
  if (set_plain(guess, heading, cells)) {
    guess.reason = "its heading says nothing known, its cells are figures";
    guess.obstacle = odd;
    return guess;
  }
  const bool has_figures = std::any_of(others.begin(), others.end(), [](const Guess& other) {
    const QuantityInfo* info = find_quantity(other.quantity);
    return info != nullptr && !info->is_condition;
  });
  guess.quantity = has_figures ? "" : "label";
  guess.reason = has_figures ? "text behind figures" : "text that names the rows";
  guess.obstacle = obstacle_in(cells);
  guess.obstacle = guess.obstacle.empty() ? odd : guess.obstacle;
  return guess;
}

std::vector<std::string> precisions(const std::string& heading) {
  std::vector<std::string> found;
  re2::StringPiece rest(heading);
  std::string word;
  while (RE2::FindAndConsume(&rest, kPrecision, &word)) {
    found.push_back(word == "mixed" ? "mixed precision" : word);
  }
  return found;
}

// The rule of a speedup whose heading names these precisions: the ratio of the throughputs with the
// last and the first of them; "" if there are none such.
std::string ratio_over_precisions(const std::vector<std::string>& named,
                                  const DocumentTable& table,
                                  const std::vector<Guess>& guesses) {
  std::string from;
  std::string to;
  for (std::size_t other = 0; other < guesses.size(); ++other) {
    if (guesses[other].quantity == "throughput") {
      const std::vector<std::string> own = precisions(table.head[other]);
      from = own == std::vector{named.front()} ? guesses[other].name : from;
      to = own == std::vector{named.back()} ? guesses[other].name : to;
    }
  }
  return from.empty() || to.empty() ? "" : fmt::format("ratio: [{}, {}]", to, from);
}

// Where a larger number of the column shows that zeros of others are digits.
void tell_zeros(const DocumentTable& table, std::vector<Guess>& guesses) {
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    const std::vector<ParsedFigure> rounded = figures_of(table, guesses, c);
    guesses[c].shows_zeros = true;
    const std::vector<ParsedFigure> shown = figures_of(table, guesses, c);
    guesses[c].shows_zeros =
        !std::ranges::equal(rounded, shown, [](const ParsedFigure& a, const ParsedFigure& b) {
          return a.figure.has_value() == b.figure.has_value() &&
                 (!a.figure || a.figure->decimals == b.figure->decimals);
        });
    guesses[c].reason +=
        guesses[c].shows_zeros ? "; zeros are digits where a larger number shows units" : "";
  }
}

// Columns "Throughput - TF32" and "Throughput - mixed precision" differ in precision; a speedup
// that names both is the ratio of the two.
void tell_precisions(const DocumentTable& table, std::vector<Guess>& guesses) {
  for (std::size_t c = 0; c < guesses.size(); ++c) {
    const std::vector<std::string> named = precisions(table.head[c]);
    const QuantityInfo* info = find_quantity(guesses[c].quantity);
    if (info == nullptr || info->is_condition || named.empty()) {
      continue;
    }
    if (named.size() == 1) {
      guesses[c].at = "precision: " + named.front();
    } else if (guesses[c].quantity == "speedup") {
      if (const std::string rule = ratio_over_precisions(named, table, guesses); !rule.empty()) {
        guesses[c].follows = rule;
      }
    }
  }
}

}  // namespace

std::vector<ParsedFigure> figures_of(const DocumentTable& table,
                                     const std::vector<Guess>& guesses,
                                     std::size_t column) {
  Declaration declared;
  declared.quantity = guesses[column].quantity;
  declared.unit = guesses[column].unit;
  const QuantityInfo* info = find_quantity(declared.quantity);
  declared.is_exact = guesses[column].is_exact || (info != nullptr && info->is_exact);
  declared.zeros = guesses[column].shows_zeros ? Zeros::kShown : Zeros::kRounding;
  return parse_column(cells_of(table, column), declared);
}

std::string plain_name(const std::string& text, char separator, std::size_t longest) {
  std::string name;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) {
      name += static_cast<char>(std::tolower(byte));
    } else if (!name.empty() && name.back() != separator) {
      name += separator;
    }
  }
  name = name.substr(0, longest);
  while (!name.empty() && name.back() == separator) {
    name.pop_back();
  }
  return name;
}

std::vector<Guess> guess_columns(const DocumentTable& table) {
  std::vector<Guess> guesses;
  for (std::size_t c = 0; c < table.head.size(); ++c) {
    guesses.push_back(guess_column(table, c, guesses));
  }
  tell_zeros(table, guesses);
  tell_collectives(table, guesses);
  tell_precisions(table, guesses);
  tell_overheads(table, guesses);
  tell_prices(table, guesses);
  tell_flop_rates(table, guesses);
  tell_grids(table, guesses);
  tell_baselines(table, guesses);
  tell_side_by_side(table, guesses);
  tell_notes(table, guesses);
  return guesses;
}

}  // namespace scalestudy::audit
