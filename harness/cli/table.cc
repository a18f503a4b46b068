// Renders rows as aligned text, Markdown, CSV and JSON.
#include "harness/cli/table.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/report/template/markdown.h"
#include "harness/text/csv_line.h"
#include "harness/text/text.h"

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

// A row is a line: control characters of a text field would break the layout, and reach a terminal
// through a pager.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return printable(text);
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return right ? space + text : text + space;
}

// Line ends become line ends with so many spaces.
std::string indented(std::string text, std::size_t indent) {
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    text.insert(at + 1, indent, ' ');
  }
  return text;
}

// - last_width: of the last column, whose texts are broken there.
std::string side_by_side(const std::vector<TextColumn>& columns,
                         const std::vector<std::vector<std::string>>& rows,
                         const std::vector<std::size_t>& widths,
                         std::size_t last_width) {
  std::string text;
  const auto add_line = [&](const auto& text_of, bool is_head) {
    std::string line;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      line += c == 0 ? "" : "  ";
      const bool is_right = columns[c].is_number && !(is_head && rows.empty());
      line += c + 1 < columns.size() || widths[c] <= last_width
                  ? padded(text_of(c), widths[c], is_right)
                  : indented(wrapped(text_of(c), last_width), display_width(line));
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  };
  add_line([&](std::size_t c) { return columns[c].heading; }, true);
  for (const std::vector<std::string>& row : rows) {
    add_line([&](std::size_t c) { return row[c]; }, false);
  }
  return text;
}

// A paragraph a row, a line a column.
std::string below_each_other(const std::vector<TextColumn>& columns,
                             const std::vector<std::vector<std::string>>& rows,
                             std::size_t width) {
  std::size_t heading = 0;
  for (const TextColumn& column : columns) {
    heading = std::max(heading, display_width(column.heading));
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    text += text.empty() ? "" : "\n";
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text +=
          wrapped(padded(columns[c].heading, heading, false) + "  " + row[c], width, heading + 2);
      text += '\n';
    }
  }
  return text;
}

std::string aligned(const QueryResult& result, std::size_t width) {
  std::vector<TextColumn> columns;
  for (const std::string& name : result.columns) {
    columns.push_back({name, true});
  }
  std::vector<std::vector<std::string>> rows;
  for (const std::vector<Field>& row : result.rows) {
    std::vector<std::string> texts;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      texts.push_back(field_text(row[c], false, "-"));
      const bool is_null = std::holds_alternative<std::monostate>(row[c]);
      columns[c].is_number = columns[c].is_number && (is_null || is_number(row[c]));
    }
    rows.push_back(std::move(texts));
  }
  return align_columns(columns, rows, width);
}

// Names that are all different: the second "x" becomes "x_2", so that no column is lost.
std::vector<std::string> distinct_names(const std::vector<std::string>& columns) {
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

std::string csv(const QueryResult& result) {
  std::string text = csv_line(distinct_names(result.columns));
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

}  // namespace

JsonText json_rows(const QueryResult& result) {
  const std::vector<std::string> names = distinct_names(result.columns);
  JsonText rows = JsonText::list();
  for (const std::vector<Field>& row : result.rows) {
    std::vector<JsonText::Member> members;
    for (std::size_t c = 0; c < row.size(); ++c) {
      members.emplace_back(names[c], json_value(row[c]));
    }
    rows.push_back(JsonText::object(std::move(members)));
  }
  return rows;
}

std::string align_columns(const std::vector<TextColumn>& columns,
                          const std::vector<std::vector<std::string>>& rows,
                          std::size_t width) {
  std::vector<std::vector<std::string>> lines = rows;
  std::vector<std::size_t> widths;
  std::size_t line_width = columns.empty() ? 0 : 2 * (columns.size() - 1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    widths.push_back(display_width(columns[c].heading));
    for (std::vector<std::string>& row : lines) {
      row[c] = on_one_line(std::move(row[c]));
      widths[c] = std::max(widths[c], display_width(row[c]));
    }
    line_width += widths[c];
  }
  constexpr std::size_t least_last = 30;
  const std::size_t last = widths.empty() ? 0 : widths.back();
  const std::size_t others = line_width - last;
  return line_width <= width || others + least_last <= width || rows.empty()
             ? side_by_side(columns, lines, widths, width - std::min(width, others))
             : below_each_other(columns, lines, width);
}

std::string format_table(const QueryResult& result, Format format, std::size_t width) {
  switch (format) {
    case Format::kTable:
      return aligned(result, width);
    case Format::kMarkdown:
      return report::markdown_table(result) + "\n";
    case Format::kCsv:
      return csv(result);
    case Format::kJson:
      return json_rows(result).dump(2) + "\n";
  }
  return {};
}

std::string format_text(const std::string& text, Format format) {
  return format == Format::kMarkdown ? report::escape_markdown(text) : text;
}

Field number_field(const std::optional<double>& value) {
  return value ? Field(*value) : Field();
}

}  // namespace scalestudy
