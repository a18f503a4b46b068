// Members of a JSON map that must be there and be of a kind.
#pragma once

#include <string>
#include <vector>

#include "harness/import/json_text.h"

namespace scalestudy {

// Every getter reports what is missing or of another kind, and returns an empty value then.
class JsonMembers {
 public:
  JsonMembers(const JsonValue& map, std::vector<Problem>& problems)
      : map_(map), problems_(problems) {}

  const JsonValue* require(const std::string& name, JsonValue::Kind kind);

  // As written, with its place. The optional one may be null or missing: an empty text.
  PlacedText number(const std::string& name);
  PlacedText optional_number(const std::string& name);
  PlacedText text(const std::string& name);

  void fail(const JsonValue& at, const std::string& message);

 private:
  const JsonValue& map_;
  std::vector<Problem>& problems_;
};

}  // namespace scalestudy
