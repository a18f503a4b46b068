// A query's answer as text in one of the formats of --format.
#pragma once

#include <optional>
#include <string>

#include "harness/store/rows/query_result.h"
#include "harness/text/words.h"

namespace scalestudy {

enum class Format { kTable, kJson, kCsv, kMarkdown };

template <>
inline constexpr std::string_view kWords<Format> = "table|json|csv|markdown";

// Formats an answer. Every format ends with a newline; an answer without rows still has its head.
// - table: aligned columns, numbers to the right, NULL as "-"; for people.
// - markdown: a GitHub table that shows every text literally.
// - csv: RFC 4180 with a head line; NULL is an empty field; numbers read back equal.
// - json: an array of objects, one a row; NULL is null. Of two columns called "name" the second
//   becomes "name_2".
std::string format_table(const QueryResult& result, Format format);

// A number as a field of an answer; NULL if it is absent.
Field number_field(const std::optional<double>& value);

}  // namespace scalestudy
