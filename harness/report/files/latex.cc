#include "harness/report/files/latex.h"

#include <variant>

#include <fmt/format.h>

#include "harness/report/input/groups.h"
#include "harness/text/latex.h"
#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

// A comment ends with its line.
std::string comment(const std::string& text) {
  std::string line = text;
  for (char& c : line) {
    c = c == '\n' || c == '\r' ? ' ' : c;
  }
  return fmt::format("{} {}\n", kLatexMark, line);
}

std::string tabular_of(const View& table) {
  std::vector<LatexColumn> columns;
  for (const View& column : list_of(table, "differing_columns")) {
    columns.push_back({text_of(column, "heading"), text_of(column, "rule").ends_with(':')});
  }
  std::vector<std::vector<std::string>> rows;
  for (const View& row : list_of(table, "rows")) {
    std::vector<std::string>& cells = rows.emplace_back();
    for (const View& value : list_of(row, "differing")) {
      cells.push_back(latex_text(text_of(value, "value")));
    }
  }
  return latex_tabular(columns, rows);
}

// What the first lines of the report say of all its numbers, as comments.
std::string caution_of(const View& view) {
  std::string text;
  for (const char* tag : {"state", "worthless"}) {
    const std::string value = text_of(view, tag);
    text += value.empty() ? "" : comment(value);
  }
  const std::string trust = text_of(view, "trust");
  return trust.empty() || trust == "high"
             ? text
             : text + comment(fmt::format(
                          "how far to trust this: {} ({})", trust, text_of(view, "basis")));
}

// The line below the tabular that a reader of the paper needs; "" for none.
std::string note_of(const View& view, const std::string& tabular) {
  const std::string state = text_of(view, "state");
  std::vector<std::string> notes;
  if (!state.empty()) {
    notes.push_back(latex_text(with_capital(state) + "."));
  }
  if (const std::string worthless = text_of(view, "worthless"); !worthless.empty()) {
    notes.push_back(latex_text(worthless));
  }
  if (tabular.find(latex_text("†")) != std::string::npos) {
    notes.push_back(latex_text(
        "† More ranks than cores, or shared devices: these rows show that the program works, not "
        "how fast it is."));
  }
  return notes.empty() ? "" : "\n{\\footnotesize " + join(notes, " ") + "\\par}\n";
}

std::string file_text(const std::string& name, const View& table, const View& view) {
  std::string text = comment(name + ", \\usepackage{booktabs}") + caution_of(view);
  for (const auto& [what, tag] : {std::pair("of ", "title"), std::pair("of ", "label")}) {
    const std::string value = text_of(table, tag);
    text += value.empty() ? "" : comment(what + value);
  }
  const std::string common = text_of(table, "common");
  const std::string more = text_of(table, "more");
  text += common.empty() ? "" : comment("in all rows: " + common);
  text += more.empty() ? "" : comment("Rows left out: " + more);
  const std::string tabular = tabular_of(table);
  if (needs_unicode_engine(tabular)) {
    text += comment("has characters that need XeLaTeX or LuaLaTeX");
  }
  return text + tabular + note_of(view, tabular);
}

}  // namespace

std::map<std::string, std::string> latex_tables(const View& view) {
  std::map<std::string, std::string> files;
  for (const auto& [name, value] : view.values()) {
    const auto* list = std::get_if<View::List>(&value);
    for (const View& table : list == nullptr ? View::List() : *list) {
      if (list_of(table, "differing_columns").empty() || list_of(table, "rows").empty()) {
        continue;
      }
      std::string stem = name;
      for (const char* tag : {"title", "label"}) {
        const std::string slug = slug_of(text_of(table, tag));
        stem += slug.empty() ? "" : "-" + slug;
      }
      std::string file = stem + ".tex";
      for (int i = 2; files.contains(file); ++i) {
        file = fmt::format("{}-{}.tex", stem, i);
      }
      files[file] = file_text(name, table, view);
    }
  }
  return files;
}

}  // namespace scalestudy::report
