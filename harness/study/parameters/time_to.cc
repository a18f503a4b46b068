#include "harness/study/parameters/time_to.h"

#include <algorithm>

#include <fmt/format.h>

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

std::string describe_goal(const TimeToRequest& request) {
  std::string metric = request.metric;
  std::ranges::replace(metric, '_', ' ');
  const bool is_share = request.metric == names::kAccuracy && request.level() <= 1.0;
  return metric + " " +
         (is_share ? format_percent(request.level()) : format_number(request.level()));
}

}  // namespace scalestudy
