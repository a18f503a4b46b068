#include "harness/store/rows/rows.h"

#include <nlohmann/json.hpp>

#include "harness/text/quantity.h"

namespace scalestudy {

std::map<std::string, std::string> parse_conditions(const std::string& json) {
  return nlohmann::json::parse(json).get<std::map<std::string, std::string>>();
}

std::optional<double> CellRow::Parameter::number() const {
  const bool is_number = kind == ValueKind::kInteger || kind == ValueKind::kReal;
  return is_number ? parse_number(value) : std::nullopt;
}

}  // namespace scalestudy
