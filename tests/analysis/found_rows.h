// The first row of a kind among results; it has to be there.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "harness/store/rows/result_rows.h"
#include "tests/support/catch.h"

namespace scalestudy::test {

inline EstimateRow find_metric(const std::vector<EstimateRow>& rows, const std::string& metric) {
  const auto found = std::ranges::find(rows, metric, &EstimateRow::metric);
  INFO("looking for " << metric);
  REQUIRE(found != rows.end());
  return *found;
}

inline LawRow find_parameter(const std::vector<LawRow>& rows, const std::string& parameter) {
  const auto found = std::ranges::find(rows, parameter, &LawRow::parameter);
  INFO("looking for " << parameter);
  REQUIRE(found != rows.end());
  return *found;
}

}  // namespace scalestudy::test
