// Renders rows as aligned text, Markdown, CSV and JSON.
#include "harness/cli/table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "harness/report/template/markdown.h"
#include "harness/text/csv_line.h"
#include "harness/text/json.h"

namespace scalestudy {
namespace {

// For people six digits are enough; for machines the shortest text that reads back equal.
std::string number_text(double value, bool exact) {
  return exact ? fmt::format("{}", value) : fmt::format("{:.6g}", value);
}

std::string field_text(const Field& field, bool exact, const char* null_text) {
  if (std::holds_alternative<std::monostate>(field)) {
    return null_text;
  }
  if (const auto* integer = std::get_if<std::int64_t>(&field)) {
    return std::to_string(*integer);
  }
  if (const auto* real = std::get_if<double>(&field)) {
    return number_text(*real, exact);
  }
  return std::get<std::string>(field);
}

bool is_number(const Field& field) {
  return std::holds_alternative<std::int64_t>(field) || std::holds_alternative<double>(field);
}

// Code points of UTF-8 text: its width on a terminal but for wide and combining ones.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

// A row is a line: control characters of a text field would break the layout.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return text;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

std::string aligned(const QueryResult& result) {
  const std::size_t columns = result.columns.size();
  std::vector<std::size_t> width(columns);
  std::vector<bool> numeric(columns, true);
  std::vector<std::vector<std::string>> cells;
  for (std::size_t c = 0; c < columns; ++c) {
    width[c] = display_width(result.columns[c]);
  }
  for (const std::vector<Field>& row : result.rows) {
    std::vector<std::string> texts;
    for (std::size_t c = 0; c < columns; ++c) {
      texts.push_back(on_one_line(field_text(row[c], false, "-")));
      width[c] = std::max(width[c], display_width(texts.back()));
      const bool is_null = std::holds_alternative<std::monostate>(row[c]);
      numeric[c] = numeric[c] && (is_null || is_number(row[c]));
    }
    cells.push_back(std::move(texts));
  }
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& texts) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      line += (c == 0 ? "" : "  ") + padded(texts[c], width[c], numeric[c] && !result.rows.empty());
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line(result.columns);
  for (const std::vector<std::string>& row : cells) {
    add_line(row);
  }
  return text;
}

std::string csv(const QueryResult& result) {
  std::string text = csv_line(result.columns);
  for (const std::vector<Field>& row : result.rows) {
    std::vector<std::string> fields;
    for (const Field& field : row) {
      fields.push_back(field_text(field, true, ""));
    }
    text += csv_line(fields);
  }
  return text;
}

JsonText json_value(const Field& field) {
  return std::visit(
      [](const auto& value) -> JsonText {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          return {};
        } else {
          return value;
        }
      },
      field);
}

// Names that are all different: the second "x" becomes "x_2", so that no column is lost.
std::vector<std::string> member_names(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    std::string name = column;
    for (int number = 2; std::find(names.begin(), names.end(), name) != names.end(); ++number) {
      name = fmt::format("{}_{}", column, number);
    }
    names.push_back(std::move(name));
  }
  return names;
}

std::string json(const QueryResult& result) {
  const std::vector<std::string> names = member_names(result.columns);
  JsonText rows = JsonText::list();
  for (const std::vector<Field>& row : result.rows) {
    std::vector<JsonText::Member> members;
    for (std::size_t c = 0; c < row.size(); ++c) {
      members.emplace_back(names[c], json_value(row[c]));
    }
    rows.push_back(JsonText::object(std::move(members)));
  }
  return rows.dump(2) + "\n";
}

}  // namespace

std::string format_table(const QueryResult& result, Format format) {
  switch (format) {
    case Format::kTable:
      return aligned(result);
    case Format::kMarkdown:
      return report::markdown_table(result) + "\n";
    case Format::kCsv:
      return csv(result);
    case Format::kJson:
      return json(result);
  }
  return {};
}

Field number_field(const std::optional<double>& value) {
  return value ? Field(*value) : Field();
}

}  // namespace scalestudy
