// Bootstrap intervals. The cases ask for at least 100000 resamples.
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "stats/reference/bootstrap.h"
#include "tests/stats/oracle/adapters.h"
#include "tests/stats/oracle/json_io.h"

namespace scalestudy::test {
namespace {

stats::BootstrapPlan plan_of(const Json& input) {
  return {.seed = 20261121, .resamples = 199'999, .level = number(input, "level")};
}

stats::ResampledStatistic statistic_of(const Json& input) {
  const std::string name = word(input, "statistic");
  if (name == "mean") {
    return stats::ResampledStatistic::kMean;
  }
  if (name == "median") {
    return stats::ResampledStatistic::kMedian;
  }
  throw std::runtime_error("'statistic' holds '" + name + "'");
}

Json bootstrap_json(const stats::BootstrapInterval& interval) {
  return {{"status", test::to_json(interval.status)},
          {"resamples", interval.plan.resamples},
          {"lo", test::to_json(interval.lo)},
          {"hi", test::to_json(interval.hi)},
          {"z0", test::to_json(interval.z0)},
          {"acceleration", test::to_json(interval.acceleration)},
          {"p_lo", test::to_json(interval.p_lo)},
          {"p_hi", test::to_json(interval.p_hi)}};
}

Json bootstrap_percentile(const Json& input) {
  return bootstrap_json(
      stats::bootstrap_percentile(numbers(input, "x"), statistic_of(input), plan_of(input)));
}

Json bootstrap_bca(const Json& input) {
  return bootstrap_json(
      stats::bootstrap_bca(numbers(input, "x"), statistic_of(input), plan_of(input)));
}

Json bootstrap_percentile_ratio(const Json& input) {
  const stats::BootstrapInterval interval =
      stats::bootstrap_percentile_ratio(numbers(input, "a"), numbers(input, "b"), plan_of(input));
  Json result = bootstrap_json(interval);
  result["ratio"] = test::to_json(interval.estimate);
  return result;
}

}  // namespace

void add_bootstrap_adapters(AdapterTable& table) {
  table["bootstrap_percentile"] = bootstrap_percentile;
  table["bootstrap_bca"] = bootstrap_bca;
  table["bootstrap_percentile_ratio"] = bootstrap_percentile_ratio;
}

}  // namespace scalestudy::test
