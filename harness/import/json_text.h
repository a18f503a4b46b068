// Reads JSON with what libraries drop: the text of each number, and the place of each value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/import/tool_table.h"
#include "harness/yaml/problem.h"

namespace scalestudy {

struct JsonValue {
  enum class Kind { kNull, kFlag, kNumber, kText, kList, kMap };

  Kind kind = Kind::kNull;
  PlacedText at;                   // a number as written, a text decoded, "true"; "" for others
  std::vector<JsonValue> items;    // items of a list, or values of a map in their order
  std::vector<std::string> names;  // for a map: the name of each item

  // The first item of that name; nullptr if there is none or this is no map.
  const JsonValue* find(const std::string& name) const;
};

// Parses one JSON text (RFC 8259). The first error in it is added as a problem, and nothing is
// returned. More than 64 nested levels, which no tool writes, are an error.
std::optional<JsonValue> parse_json(const std::string& text, std::vector<Problem>& problems);

}  // namespace scalestudy
