#include "harness/store/masked_result.h"

#include <utility>
#include <variant>

#include "harness/study/parameters/secret.h"

namespace scalestudy {

QueryResult masked(QueryResult result, const std::vector<std::string>& values) {
  for (std::vector<Field>& row : result.rows) {
    for (Field& field : row) {
      if (auto* text = std::get_if<std::string>(&field)) {
        *text = masked(std::move(*text), values);
      }
    }
  }
  return result;
}

}  // namespace scalestudy
