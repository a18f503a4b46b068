// The JSON Schema of study files.
#pragma once

#include <string>

#include "tests/support/json_schema.h"

namespace scalestudy::test {

inline const JsonSchema& study_schema() {
  static const JsonSchema loaded("study.schema.json");
  return loaded;
}

// What the schema has against a study file, "" when it accepts it.
inline std::string schema_problems(const std::string& text) {
  return study_schema().problems(text);
}

}  // namespace scalestudy::test
