// The result of any SQL query.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace scalestudy {

// One value of a query's result; monostate is NULL.
using Field = std::variant<std::monostate, std::int64_t, double, std::string>;

struct QueryResult {
  std::vector<std::string> columns;
  std::vector<std::vector<Field>> rows;
};

}  // namespace scalestudy
