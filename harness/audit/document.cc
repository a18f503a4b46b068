// Markdown by cmark-gfm.
#include "harness/audit/document.h"

#include <memory>
#include <string_view>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

#include "harness/audit/csv_text.h"
#include "harness/audit/figure_text.h"
#include "harness/base/error.h"

namespace scalestudy::audit {
namespace {

std::string_view kind_of(cmark_node* node) {
  return cmark_node_get_type_string(node);
}

// The text below a node; breaks and tags are blanks.
std::string text_of(cmark_node* node) {
  std::string text;
  for (cmark_node* child = cmark_node_first_child(node); child != nullptr;
       child = cmark_node_next(child)) {
    const std::string_view kind = kind_of(child);
    if (kind == "text" || kind == "code") {
      text += cmark_node_get_literal(child);
    } else if (kind == "softbreak" || kind == "linebreak" || kind == "html_inline") {
      text += ' ';
    } else {
      text += text_of(child);
    }
  }
  return std::string(trimmed(text));
}

std::vector<std::string> cells_of(cmark_node* row) {
  std::vector<std::string> cells;
  for (cmark_node* cell = cmark_node_first_child(row); cell != nullptr;
       cell = cmark_node_next(cell)) {
    cells.push_back(text_of(cell));
  }
  return cells;
}

DocumentTable table_of(cmark_node* node, const std::string& section) {
  DocumentTable table;
  table.section = section;
  table.first_line = cmark_node_get_start_line(node);
  table.last_line = cmark_node_get_end_line(node);
  for (cmark_node* row = cmark_node_first_child(node); row != nullptr; row = cmark_node_next(row)) {
    std::vector<std::string> cells = cells_of(row);
    if (table.head.empty()) {
      table.head = std::move(cells);
    } else {
      cells.resize(table.head.size());
      table.rows.push_back(std::move(cells));
    }
  }
  return table;
}

// Tables may stand in lists and quotes.
void collect(cmark_node* node, std::string& section, Document& document) {
  for (cmark_node* child = cmark_node_first_child(node); child != nullptr;
       child = cmark_node_next(child)) {
    const std::string_view kind = kind_of(child);
    if (kind == "heading") {
      section = text_of(child);
      document.title = document.title.empty() ? section : document.title;
    } else if (kind == "table") {
      DocumentTable table = table_of(child, section);
      if (!table.rows.empty()) {
        document.tables.push_back(std::move(table));
      }
    } else if (kind == "html_block") {
      const std::string_view html = cmark_node_get_literal(child);
      for (std::size_t at = html.find("<table"); at != std::string_view::npos;
           at = html.find("<table", at + 1)) {
        ++document.html_table_count;
      }
    } else {
      collect(child, section, document);
    }
  }
}

}  // namespace

Document read_markdown(const std::string& text) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
      cmark_parser_new(CMARK_OPT_DEFAULT), cmark_parser_free);
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), text.data(), text.size());
  const std::unique_ptr<cmark_node, decltype(&cmark_node_free)> root(
      cmark_parser_finish(parser.get()), cmark_node_free);
  Document document;
  std::string section;
  collect(root.get(), section, document);
  return document;
}

Document read_csv(const std::string& text, const std::string& path) {
  std::vector<Problem> problems;
  const std::vector<std::vector<CsvField>> lines = parse_csv(text, problems);
  if (problems.empty() && lines.size() < 2) {
    problems.push_back({0, 0, "the file has no rows; a head and one row are required"});
  }
  DocumentTable table;
  for (const std::vector<CsvField>& line : lines) {
    std::vector<std::string> cells;
    for (const CsvField& field : line) {
      cells.push_back(field.text);
    }
    if (line.size() != lines.front().size()) {
      problems.push_back(
          {line.front().line,
           line.front().column,
           fmt::format("this row has {} fields, the head {}", line.size(), lines.front().size())});
    } else if (table.head.empty()) {
      table.head = std::move(cells);
      table.first_line = line.front().line;
    } else {
      table.rows.push_back(std::move(cells));
      table.last_line = line.front().line;
    }
  }
  if (!problems.empty()) {
    throw Error(ErrorKind::kUsage, format_problems(problems, text, path));
  }
  return {"", {std::move(table)}, 0};
}

}  // namespace scalestudy::audit
