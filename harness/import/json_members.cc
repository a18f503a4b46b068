#include "harness/import/json_members.h"

#include <fmt/format.h>

#include "harness/text/text.h"

namespace scalestudy {
namespace {

using Kind = JsonValue::Kind;

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kFlag:
      return "true or false";
    case Kind::kNumber:
      return "a number";
    case Kind::kText:
      return "a text";
    case Kind::kList:
      return "a list";
    case Kind::kMap:
      break;
  }
  return "a map";
}

}  // namespace

const JsonValue* JsonMembers::require(const std::string& name, Kind kind) {
  const JsonValue* value = map_.find(name);
  if (value == nullptr) {
    fail(map_, fmt::format("\"{}\" is missing here", name));
    return nullptr;
  }
  if (value->kind != kind) {
    fail(*value,
         fmt::format("\"{}\" is {}{}; {} is required",
                     name,
                     kind_name(value->kind),
                     value->at.text.empty()
                         ? ""
                         : fmt::format(" ({})", printable(value->at.text).substr(0, 40)),
                     kind_name(kind)));
    return nullptr;
  }
  return value;
}

PlacedText JsonMembers::number(const std::string& name) {
  const JsonValue* value = require(name, Kind::kNumber);
  return value == nullptr ? PlacedText{} : value->at;
}

PlacedText JsonMembers::optional_number(const std::string& name) {
  const JsonValue* value = map_.find(name);
  return value == nullptr || value->kind == Kind::kNull ? PlacedText{} : number(name);
}

PlacedText JsonMembers::text(const std::string& name) {
  const JsonValue* value = require(name, Kind::kText);
  return value == nullptr ? PlacedText{} : value->at;
}

void JsonMembers::fail(const JsonValue& at, const std::string& message) {
  problems_.push_back({at.at.line, at.at.column, message});
}

}  // namespace scalestudy
