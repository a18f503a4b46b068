#include "harness/store/rows/rows.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "harness/store/rows/result_rows.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/quantity.h"

namespace scalestudy {

std::map<std::string, std::string> parse_conditions(const std::string& json) {
  return nlohmann::json::parse(json).get<std::map<std::string, std::string>>();
}

std::optional<double> CellRow::Parameter::number() const {
  const bool is_number = kind == ValueKind::kInteger || kind == ValueKind::kReal;
  return is_number ? parse_number(value) : std::nullopt;
}

void make_share(SeriesRow& series) {
  if (is_in_percent(series.metric, series.unit)) {
    series.unit = "1";
    for (double& value : series.values) {
      value *= kHundredth;
    }
  }
}

double covered_steps(std::span<const TelemetryRow> telemetry) {
  double steps = 1.0;
  for (const TelemetryRow& fact : telemetry) {
    if (fact.name == "step_interval" || fact.name == "steps_of_value") {
      steps = std::max(steps, fact.value);
    }
  }
  return steps;
}

std::optional<double> largest_estimate(const Results& results, const std::string& metric) {
  std::optional<double> largest;
  for (const EstimateRow& row : results.estimates) {
    const bool has_unit = row.statistic <= Statistic::kMedian;  // the others are shares and counts
    if (row.metric == metric && row.value && has_unit) {
      largest = std::max(largest.value_or(*row.value), *row.value);
    }
  }
  return largest;
}

}  // namespace scalestudy
