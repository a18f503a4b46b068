// Gets members of a JSON map that must exist and have a certain kind.
#pragma once

#include <string>
#include <vector>

#include "harness/import/json_text.h"

namespace scalestudy {

// A getter adds a problem and returns an empty value if the member is missing or of another kind.
class JsonMembers {
 public:
  JsonMembers(const JsonValue& map, std::vector<Problem>& problems)
      : map_(map), problems_(problems) {}

  const JsonValue* require(const std::string& name, JsonValue::Kind kind);

  // A number as it is written, with its place. An optional one may also be null or missing, which
  // gives an empty text without a problem.
  PlacedText number(const std::string& name);
  PlacedText optional_number(const std::string& name);
  PlacedText text(const std::string& name);

  // Adds a problem at that value.
  void fail(const JsonValue& at, const std::string& message);

 private:
  const JsonValue& map_;
  std::vector<Problem>& problems_;
};

}  // namespace scalestudy
