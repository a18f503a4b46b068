#include "harness/text/latex.h"

#include <array>
#include <string_view>
#include <utility>

namespace scalestudy {
namespace {

// What LaTeX reads as something else, or has no character for in some fonts.
constexpr auto kCharacters =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"\\", "\\textbackslash{}"},
                                                                  {"~", "\\textasciitilde{}"},
                                                                  {"^", "\\textasciicircum{}"},
                                                                  {"&", "\\&"},
                                                                  {"%", "\\%"},
                                                                  {"$", "\\$"},
                                                                  {"#", "\\#"},
                                                                  {"_", "\\_"},
                                                                  {"{", "\\{"},
                                                                  {"}", "\\}"},
                                                                  {"<", "$<$"},
                                                                  {">", "$>$"},
                                                                  {"|", "$|$"},
                                                                  {"\n", " "},
                                                                  {"\r", " "},
                                                                  {"\t", " "},
                                                                  {"–", "--"},
                                                                  {"−", "$-$"},
                                                                  {"±", "$\\pm$"},
                                                                  {"×", "$\\times$"},
                                                                  {"≤", "$\\leq$"},
                                                                  {"≥", "$\\geq$"},
                                                                  {"µ", "$\\mu$"},
                                                                  {"μ", "$\\mu$"},
                                                                  {"≠", "$\\neq$"},
                                                                  {"≈", "$\\approx$"},
                                                                  {"·", "$\\cdot$"},
                                                                  {"‡", "$\\ddagger$"},
                                                                  {"†", "$\\dagger$"},
                                                                  {"…", "\\ldots{}"},
                                                                  {"→", "$\\rightarrow$"}});

}  // namespace

std::string latex_text(const std::string& text) {
  std::string result;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t taken = 1;
    std::string_view shown = rest.substr(0, 1);
    if (static_cast<unsigned char>(shown.front()) < 0x20U) {
      shown = " ";  // LaTeX refuses other control characters
    }
    for (const auto& [character, latex] : kCharacters) {
      if (rest.starts_with(character)) {
        taken = character.size();
        shown = latex;
        break;
      }
    }
    result += shown;
    if (rest.starts_with("--")) {
      result += "{}";  // else a dash
    }
    rest.remove_prefix(taken);
  }
  return result;
}

std::string latex_tabular(const std::vector<LatexColumn>& columns,
                          const std::vector<std::vector<std::string>>& rows) {
  std::string text = "\\begin{tabular}{";
  for (const LatexColumn& column : columns) {
    text += column.is_number ? 'r' : 'l';
  }
  text += "}\n\\toprule\n";
  const auto add_row = [&](const auto& text_of) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const std::string cell = text_of(c);
      // "[" or "*" would belong to the \\ of the row before.
      const bool would_belong = c == 0 && (cell.starts_with('[') || cell.starts_with('*'));
      text += (c == 0 ? "" : " & ") + std::string(would_belong ? "{}" : "") + cell;
    }
    text += " \\\\\n";
  };
  add_row([&](std::size_t c) { return latex_text(columns[c].heading); });
  text += "\\midrule\n";
  for (const std::vector<std::string>& row : rows) {
    add_row([&](std::size_t c) { return row.at(c); });
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace scalestudy
