// The answer of a query, whatever it was.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace scalestudy {

// One value of a query's answer; monostate is NULL.
using Field = std::variant<std::monostate, std::int64_t, double, std::string>;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<Field>> rows;
};

}  // namespace scalestudy
