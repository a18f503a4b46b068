// Escapes and tables of GitHub's Markdown.
#include "harness/report/template/markdown.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "harness/text/text.h"

namespace scalestudy::report {
namespace {

bool is_alphanumeric(const std::string& text, std::size_t at) {
  return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
}

// True for a character that Markdown or GitHub would act on at this place.
bool is_active(const std::string& text, std::size_t at) {
  const char next = at + 1 < text.size() ? text[at + 1] : '\0';
  switch (text[at]) {
    case '\\':
    case '|':
    case '*':
    case '`':
    case '<':
    case '>':
    case '~':
    case '$':
      return true;
    case '_':  // harmless between letters: batch_global
      return at == 0 || !is_alphanumeric(text, at - 1) || !is_alphanumeric(text, at + 1);
    case ']':  // ends a link's text only before these
      return next == '(' || next == '[' || next == ':';
    case '&':
      return next == '#' || is_alphanumeric(text, at + 1);
    case '!':
      return next == '[';
    case '#':
    case '+':
    case '-':  // heading or list at the start of a line
      return at == 0 && (next == ' ' || next == '#' || next == '-' || next == '\0');
    default:
      return false;
  }
}

std::string field_text(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) {
    return std::to_string(*integer);
  }
  if (const auto* real = std::get_if<double>(&field)) {
    return fmt::format("{:.6g}", *real);
  }
  const auto* text = std::get_if<std::string>(&field);
  return text == nullptr ? std::string() : escape_markdown(*text);
}

// A column is a column of numbers when it has one and no text.
bool is_numeric(const QueryResult& result, std::size_t column) {
  bool has_number = false;
  for (const std::vector<Field>& row : result.rows) {
    if (std::holds_alternative<std::string>(row[column])) {
      return false;
    }
    has_number = has_number || !std::holds_alternative<std::monostate>(row[column]);
  }
  return has_number;
}

}  // namespace

std::string escape_markdown(const std::string& text) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) < 0x20U || c == 0x7F) {
      escaped += escaped.ends_with(' ') ? "" : " ";
      continue;
    }
    if (is_active(text, at)) {
      escaped += '\\';
    }
    escaped += c;
  }
  return printable(escaped);
}

std::string markdown_table(const QueryResult& result) {
  std::string text = "|";
  std::string rule = "|";
  for (std::size_t c = 0; c < result.columns.size(); ++c) {
    text += " " + escape_markdown(result.columns[c]) + " |";
    rule += is_numeric(result, c) ? " ---: |" : " --- |";
  }
  text += "\n" + rule;
  for (const std::vector<Field>& row : result.rows) {
    text += "\n|";
    for (const Field& field : row) {
      text += " " + field_text(field) + " |";
    }
  }
  return text;
}

std::string tidy_markdown(const std::string& text) {
  std::string tidy;
  std::string fence;
  bool blank_before = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;
    const std::size_t ticks = std::min(line.find_first_not_of('`'), line.size());
    if (fence.empty() && ticks >= 3) {
      fence = std::string(ticks, '`');
    } else if (!fence.empty() && line == fence) {
      fence.clear();
    }
    const bool blank = fence.empty() && line.find_first_not_of(" \t") == std::string_view::npos;
    if (!blank) {
      tidy.append(line).append("\n");
    } else if (!blank_before) {
      tidy += '\n';
    }
    blank_before = blank;
  }
  while (tidy.ends_with("\n\n")) {
    tidy.pop_back();
  }
  return tidy;
}

}  // namespace scalestudy::report
