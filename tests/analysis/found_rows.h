// The first row of a kind among results, which has to be there, and whether there is a threat.
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

inline bool has_threat(const Results& results, ThreatKind kind) {
  return std::ranges::find(results.threats, kind, &ThreatRow::kind) != results.threats.end();
}

}  // namespace scalestudy::test
