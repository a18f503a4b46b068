#include "harness/cli/results/latex_table.h"

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

struct CellText {
  std::string operator()(std::monostate /*null*/) const { return "--"; }
  std::string operator()(std::int64_t value) const { return fmt::format("${}$", value); }
  std::string operator()(double value) const { return fmt::format("${:.6g}$", value); }
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
      text += (c == 0 ? "" : " & ") + text_of(c);
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
