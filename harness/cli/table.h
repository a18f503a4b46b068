// A query's answer as text in one of the formats of --format.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "harness/store/rows/query_result.h"
#include "harness/text/json.h"
#include "harness/text/words.h"
#include "harness/text/wrap.h"

namespace scalestudy {

enum class Format { kTable, kJson, kCsv, kMarkdown };

template <>
inline constexpr std::string_view kWords<Format> = "table|json|csv|markdown";

// Formats an answer. Every format ends with a newline; an answer without rows still has its head.
// - table: aligned columns as align_columns() makes them, NULL as "-"; for people.
// - markdown: a GitHub table that shows every text literally.
// - csv: RFC 4180 with a head line; NULL is an empty field; numbers read back equal.
// - json: an array of objects, one a row; NULL is null, and so is a number that is not finite.
// In csv and json the second of two columns called "name" becomes "name_2".
// - width: of the terminal, for the format `table`.
std::string format_table(const QueryResult& result, Format format, std::size_t width = kAnyWidth);

// A sentence beside such a table that may hold text of users; Markdown shows it literally, too.
std::string format_text(const std::string& text, Format format);

// The list of objects of the format json.
JsonText json_rows(const QueryResult& result);

struct TextColumn {
  std::string heading;
  bool is_number = false;  // to the right
};

// Rows of text below their headings. Where such a line would be wider than `width`, long texts of
// the last column are broken, or else each row becomes a paragraph with a line "heading  text" for
// each column.
// - rows: each with a text for each column.
std::string align_columns(const std::vector<TextColumn>& columns,
                          const std::vector<std::vector<std::string>>& rows,
                          std::size_t width);

// A number as a field of an answer; NULL if it is absent.
Field number_field(const std::optional<double>& value);

}  // namespace scalestudy
