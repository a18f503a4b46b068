#include "harness/store/rows/rows.h"

#include <nlohmann/json.hpp>

namespace scalestudy {

std::map<std::string, std::string> parse_conditions(const std::string& json) {
  return nlohmann::json::parse(json).get<std::map<std::string, std::string>>();
}

}  // namespace scalestudy
