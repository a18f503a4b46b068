// Takes one line of JSON apart without building a tree; the one place that parses JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace scalestudy::protocol {

// A JSON scalar; monostate is null. Numbers are finite.
using Scalar = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

struct Line {
  std::map<std::string, Scalar> fields;                          // scalars of the outer object
  std::map<std::string, std::map<std::string, Scalar>> objects;  // objects one level down
  std::vector<double> values;    // the array "values", up to its first problem
  std::set<std::string> arrays;  // names of the arrays of the outer object, "values" among them
  std::string values_problem;    // "values[17] is null, a finite number is required"
  bool has_bad_number = false;   // a value, or a number of the line, is none or not finite
  std::string problem;           // why the line is no JSON object at all, or a name occurs twice
};

// Parses one line. Deeper values and arrays of other names are checked for syntax and left out.
//   max_values  more numbers in "values" are a values_problem.
Line parse_line(std::string_view text, std::size_t max_values);

// The scalar, short and printable, for messages: "null", "true", "a string", "3".
std::string describe(const Scalar& scalar);

// Text as a canonical parameter value: strings as they are, "true", "3", "0.1"; "" for null.
std::string canonical_text(const Scalar& scalar);

}  // namespace scalestudy::protocol
