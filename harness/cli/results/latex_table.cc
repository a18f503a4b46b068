#include "harness/cli/results/latex_table.h"

#include <cmath>

#include <fmt/format.h>

namespace scalestudy {
namespace {

std::string in_latex(const std::string& text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\textbackslash{}";
        break;
      case '~':
        result += "\\textasciitilde{}";
        break;
      case '^':
        result += "\\textasciicircum{}";
        break;
      case '&':
      case '%':
      case '$':
      case '#':
      case '_':
      case '{':
      case '}':
        result += '\\';
        result += c;
        break;
      case '<':  // without fontenc another character
      case '>':
      case '|':
        result += fmt::format("${}$", c);
        break;
      case '\n':
      case '\r':
      case '\t':
        result += ' ';
        break;
      default:
        result += c;
    }
  }
  return result;
}

// "1.5", or "1.5 \times 10^{-7}": an "e" would be a factor in mathematics.
std::string in_mathematics(double value) {
  const std::string text = fmt::format("{:.6g}", value);
  const std::size_t exponent = text.find('e');
  return exponent == std::string::npos || !std::isfinite(value)
             ? text
             : fmt::format("{} \\times 10^{{{}}}",
                           text.substr(0, exponent),
                           std::stoi(text.substr(exponent + 1)));
}

struct CellText {
  std::string operator()(std::monostate /*null*/) const { return "--"; }
  std::string operator()(std::int64_t value) const { return fmt::format("${}$", value); }
  std::string operator()(double value) const { return "$" + in_mathematics(value) + "$"; }
  std::string operator()(const std::string& text) const { return in_latex(text); }
};

bool is_text_column(const QueryResult& result, std::size_t column) {
  for (const std::vector<Field>& row : result.rows) {
    if (std::holds_alternative<std::string>(row[column])) {
      return true;
    }
  }
  return result.rows.empty();
}

}  // namespace

std::string latex_table(const QueryResult& result) {
  std::string text = "\\begin{tabular}{";
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    text += is_text_column(result, c) ? 'l' : 'r';
  }
  text += "}\n\\toprule\n";
  const auto add_row = [&](const auto& text_of) {
    for (std::size_t c = 0; c < result.columns.size(); ++c) {
      const std::string cell = text_of(c);
      // "[" or "*" would belong to the \\ of the row before.
      const bool would_belong = c == 0 && (cell.starts_with('[') || cell.starts_with('*'));
      text += (c == 0 ? "" : " & ") + std::string(would_belong ? "{}" : "") + cell;
    }
    text += " \\\\\n";
  };
  add_row([&](std::size_t c) { return in_latex(result.columns[c]); });
  text += "\\midrule\n";
  for (const std::vector<Field>& row : result.rows) {
    add_row([&](std::size_t c) { return std::visit(CellText(), row[c]); });
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace scalestudy
