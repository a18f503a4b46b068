// JSON with what libraries drop: how a number was written, and where everything stands.
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
  std::vector<JsonValue> items;    // of a list, or of a map in order
  std::vector<std::string> names;  // of a map: parallel to items

  // The first item of that name, nullptr when there is none or this is no map.
  const JsonValue* find(const std::string& name) const;
};

// One JSON text (RFC 8259). What is wrong with it becomes one problem, and nothing is returned; so
// does a nesting of more than 64 levels, which no tool writes.
std::optional<JsonValue> parse_json(const std::string& text, std::vector<Problem>& problems);

}  // namespace scalestudy
