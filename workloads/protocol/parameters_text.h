// Reads the parameters of a run from the text of SCALESTUDY_PARAMETERS.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scalestudy::protocol {

// The parameters, name -> canonical text. Throws std::invalid_argument when `json` is not one JSON
// object of strings, finite numbers and booleans, or a name occurs twice.
std::map<std::string, std::string> parse_parameters(std::string_view json);

}  // namespace scalestudy::protocol
