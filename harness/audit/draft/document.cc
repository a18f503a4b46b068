// Markdown by cmark-gfm.
#include "harness/audit/draft/document.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/audit/dataset/csv_text.h"
#include "harness/audit/draft/split_cells.h"
#include "harness/audit/figure/figure_text.h"
#include "harness/base/error.h"
#include "harness/text/text.h"

namespace scalestudy::audit {
namespace {

constexpr std::size_t kMostColumns = 1000;  // names for equal headings are looked for one by one

std::string_view kind_of(cmark_node* node) {
  return cmark_node_get_type_string(node);
}

// Visits the nodes from `root` on in their order, however deep they nest; below one for which
// `visit` returns false, none.
template <typename Visit>
void for_each_node(cmark_node* root, const Visit& visit) {
  const std::unique_ptr<cmark_iter, decltype(&cmark_iter_free)> nodes(cmark_iter_new(root),
                                                                      cmark_iter_free);
  for (auto event = cmark_iter_next(nodes.get()); event != CMARK_EVENT_DONE;
       event = cmark_iter_next(nodes.get())) {
    cmark_node* node = cmark_iter_get_node(nodes.get());
    if (event == CMARK_EVENT_ENTER && !visit(node)) {
      cmark_iter_reset(nodes.get(), node, CMARK_EVENT_EXIT);
    }
  }
}

// The text below a node; breaks and tags are blanks.
std::string text_of(cmark_node* root) {
  std::string text;
  for_each_node(root, [&](cmark_node* node) {
    const std::string_view kind = kind_of(node);
    if (kind == "text" || kind == "code") {
      text += cmark_node_get_literal(node);
    } else if (kind == "softbreak" || kind == "linebreak" || kind == "html_inline") {
      text += ' ';
    }
    return true;
  });
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

// The first line of a table in code whose columns only blanks part: three lines or more with as
// many fields, most of them figures. Absent if there is none.
std::optional<int> aligned_table(const std::string& code, int first_line) {
  constexpr std::size_t fewest = 3;  // lines, and fields of each
  std::size_t run = 0;
  std::size_t fields_above = 0;
  std::size_t figure_lines = 0;
  std::istringstream lines(code);
  std::string line;
  for (int number = first_line; std::getline(lines, line); ++number) {
    std::size_t figures = 0;
    std::size_t fields = 0;
    re2::StringPiece rest(line);
    std::string field;
    while (RE2::FindAndConsume(&rest, R"((?:^|\t|\s\s)\s*(\S+(?:\s\S+)*))", &field)) {
      ++fields;
      figures += std::isdigit(static_cast<unsigned char>(field.front())) != 0 ? 1U : 0U;
    }
    const bool goes_on = fields >= fewest && fields == fields_above;
    run = goes_on ? run + 1 : 1;
    figure_lines = (goes_on ? figure_lines : 0) + (2 * figures > fields ? 1U : 0U);
    fields_above = fields;
    if (fields >= fewest && run >= fewest && figure_lines + 1 >= fewest) {
      return number - static_cast<int>(run) + 1;
    }
  }
  return std::nullopt;
}

cmark_node* parsed(const std::string& text) {
  cmark_gfm_core_extensions_ensure_registered();
  const std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser(
      cmark_parser_new(CMARK_OPT_DEFAULT), cmark_parser_free);
  cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension("table"));
  cmark_parser_feed(parser.get(), text.data(), text.size());
  return cmark_parser_finish(parser.get());
}

using Root = std::unique_ptr<cmark_node, decltype(&cmark_node_free)>;

// Tables that stand in code, as people paste them; those of its own code are not looked for.
void collect_from_code(cmark_node* node, const std::string& section, Document& document) {
  const std::string code = cmark_node_get_literal(node);
  int length = 0;
  int offset = 0;
  char mark = 0;
  const int is_fenced = cmark_node_get_fenced(node, &length, &offset, &mark);
  const int first_line = cmark_node_get_start_line(node) + (is_fenced != 0 ? 1 : 0);
  const Root root(parsed(code), cmark_node_free);
  bool has_table = false;
  for_each_node(root.get(), [&](cmark_node* inner) {
    if (kind_of(inner) == "table") {
      DocumentTable table = table_of(inner, section);
      table.first_line += first_line - 1;
      table.last_line += first_line - 1;
      has_table = has_table || !table.rows.empty();
      if (!table.rows.empty()) {
        document.tables.push_back(std::move(table));
      }
      return false;
    }
    return true;
  });
  const std::optional<int> aligned = has_table ? std::nullopt : aligned_table(code, first_line);
  if (aligned) {
    document.aligned_lines.push_back(*aligned);
  }
}

// Tables may stand in lists and quotes.
void collect(cmark_node* root, Document& document) {
  std::string section;
  for_each_node(root, [&](cmark_node* node) {
    const std::string_view kind = kind_of(node);
    if (kind == "heading") {
      section = text_of(node);
      document.title = document.title.empty() ? section : document.title;
    } else if (kind == "table") {
      DocumentTable table = table_of(node, section);
      if (!table.rows.empty()) {
        document.tables.push_back(std::move(table));
      }
    } else if (kind == "code_block") {
      collect_from_code(node, section, document);
    } else if (kind == "html_block") {
      const std::string_view html = cmark_node_get_literal(node);
      for (std::size_t at = html.find("<table"); at != std::string_view::npos;
           at = html.find("<table", at + 1)) {
        ++document.html_table_count;
      }
    }
    return kind != "heading" && kind != "table";
  });
}

// A table's short rows are filled up with cells by who reads Markdown, before anybody can look: a
// line of ten thousand columns and as many rows of two letters take 10 GB. A table has a line of
// dashes below its head, which tells its columns.
void require_narrow(const std::string& text) {
  constexpr std::size_t most_cells = 2'000'000;
  std::size_t lines = 0;
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size(); ++lines) {
    const std::size_t end = std::min(text.find_first_of("\r\n", at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    if (line.find_first_not_of("|:-+*> \t\r\v\f0123456789.)") == std::string_view::npos) {
      columns = std::max(columns, static_cast<std::size_t>(std::ranges::count(line, '|')) + 1);
    }
    at = end + 1;
  }
  if (columns > kMostColumns || columns * lines > most_cells) {
    throw Error(ErrorKind::kUsage,
                fmt::format("a table of {} columns in a text of {} lines; {} columns, and {} as "
                            "columns times lines, are the most: split the text",
                            columns,
                            lines,
                            kMostColumns,
                            most_cells));
  }
}

enum class Language { kMarkdown, kCsv };

// By extension, in lower case; READMEs often have none, and people paste Markdown into .txt.
constexpr auto kLanguages =
    std::to_array<std::pair<std::string_view, Language>>({{".md", Language::kMarkdown},
                                                          {".markdown", Language::kMarkdown},
                                                          {".txt", Language::kMarkdown},
                                                          {"", Language::kMarkdown},
                                                          {".csv", Language::kCsv}});

}  // namespace

Document read_document(const std::string& text, const std::string& path) {
  const std::string extension = lowered(std::filesystem::path(path).extension().string());
  const auto* const found =
      std::find_if(kLanguages.begin(), kLanguages.end(), [&](const auto& language) {
        return language.first == extension;
      });
  if (found == kLanguages.end()) {
    throw Error(ErrorKind::kUsage,
                fmt::format("{}: {} files are not read, only Markdown (.md, .markdown, .txt) and "
                            "CSV (.csv); export the table as CSV",
                            path,
                            extension));
  }
  return found->second == Language::kCsv ? read_csv(text, path) : read_markdown(text);
}

Document read_markdown(const std::string& text) {
  require_narrow(text);
  const Root root(parsed(text), cmark_node_free);
  Document document;
  collect(root.get(), document);
  for (DocumentTable& table : document.tables) {
    split_cells(table);
  }
  return document;
}

Document read_csv(const std::string& text, const std::string& path) {
  std::vector<Problem> problems;
  const std::vector<std::vector<CsvField>> lines = parse_csv(text, problems);
  if (problems.empty() && lines.size() < 2) {
    problems.push_back({0, 0, "the file has no rows; a head and one row are required"});
  }
  if (problems.empty() && lines.front().size() > kMostColumns) {
    problems.push_back(
        {1, 1, fmt::format("{} columns; {} are the most", lines.front().size(), kMostColumns)});
  }
  const auto is_separator = [&](char sign) {
    return std::ranges::all_of(lines, [&](const std::vector<CsvField>& line) {
      return std::ranges::any_of(
          line, [&](const CsvField& field) { return field.text.find(sign) != std::string::npos; });
    });
  };
  const bool has_one_field = !lines.empty() && lines.front().size() == 1;
  if (has_one_field && (is_separator(';') || is_separator('\t'))) {
    throw Error(ErrorKind::kUsage,
                format_problems({{1,
                                  1,
                                  "its columns are separated by semicolons or tabs; a CSV file "
                                  "has commas, and points before decimals"}},
                                text,
                                path));
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
  split_cells(table);
  return {"", {std::move(table)}, 0, {}};
}

}  // namespace scalestudy::audit
