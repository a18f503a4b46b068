#include "harness/study/parameters/time_to.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/study/parameters/metrics.h"
#include "harness/text/number.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

std::string name_of(const TimeToRequest& request) {
  return fmt::format("{}:{}", request.metric, request.level());
}

}  // namespace

std::string time_to_metric(const TimeToRequest& request) {
  return "time_to:" + name_of(request);
}

std::string reached_metric(const TimeToRequest& request) {
  return "reached:" + name_of(request);
}

std::string series_to_reach(Workload workload, const TimeToRequest& request) {
  const bool is_evaluated = workload == Workload::kTrain && request.metric != names::kLoss;
  return (is_evaluated ? "epoch_" : "") + request.metric;
}

std::string describe_goal(const Study& study, const TimeToRequest& request) {
  std::string metric = request.metric;
  std::ranges::replace(metric, '_', ' ');
  const auto rule = std::ranges::find(study.extract, request.metric, &ExtractRule::metric);
  const bool is_fraction_of_one = is_fraction(request.metric);
  const bool is_in_percent = rule != study.extract.end() && is_percent(rule->unit);
  const bool is_share = is_fraction_of_one || (request.metric == names::kAccuracy &&
                                               request.level() <= 1.0 && !is_in_percent);
  return metric + " " +
         (is_share ? format_percent(request.level()) : format_number(request.level())) +
         (is_in_percent && !is_share ? " %" : "");
}

}  // namespace scalestudy
