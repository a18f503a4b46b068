#include "workloads/protocol/parameters_text.h"

#include <stdexcept>
#include <variant>

#include "workloads/protocol/line.h"

namespace scalestudy::protocol {

std::map<std::string, std::string> parse_parameters(std::string_view json) {
  const Line line = parse_line(json, 0);
  std::string problem = line.problem;
  if (problem.empty() && (!line.objects.empty() || !line.arrays.empty())) {
    problem = "a value is an object or array";
  }
  std::map<std::string, std::string> parameters;
  for (const auto& [name, scalar] : line.fields) {
    if (std::holds_alternative<std::monostate>(scalar)) {
      problem = "'" + name + "' is null";
    }
    parameters.emplace(name, canonical_text(scalar));
  }
  if (!problem.empty()) {
    throw std::invalid_argument("SCALESTUDY_PARAMETERS: " + problem);
  }
  return parameters;
}

}  // namespace scalestudy::protocol
