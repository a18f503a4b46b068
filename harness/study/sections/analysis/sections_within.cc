// analysis.within: limits that a recommended setting keeps.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "harness/study/sections/amount.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"

namespace scalestudy {
namespace {

// What `cost` makes of the time of a step, the second with cost.train.
constexpr std::array kSampleCosts{"cost_per_million_samples", "cost_per_million_tokens"};
constexpr std::array kTrainingCosts{kTrainingHours, "training_cost", "training_kwh"};

std::vector<std::string> allowed_limits(const Study& study) {
  std::vector<std::string> names = allowed_metrics(study, &Metric::is_target);
  if (study.cost) {
    names.insert(names.end(), kSampleCosts.begin(), kSampleCosts.end());
  }
  if (study.cost && study.cost->train) {
    names.insert(names.end(), kTrainingCosts.begin(), kTrainingCosts.end());
  }
  return names;
}

bool is_cost(const std::string& metric) {
  return std::ranges::find(kSampleCosts, metric) != kSampleCosts.end() ||
         std::ranges::find(kTrainingCosts, metric) != kTrainingCosts.end();
}

// Why the study cannot hold cells to a limit on the metric; empty if it can.
std::string refusal(const Study& study, const std::string& metric) {
  const std::vector<std::string> names = allowed_limits(study);
  const std::string wrong = refuse_judged(study, metric, names);
  if (!wrong.empty() || std::ranges::find(names, metric) != names.end()) {
    return wrong;
  }
  return is_cost(metric)
             ? metric + " needs prices" +
                   (study.cost ? " and what is to be trained; add cost.train" : "; add cost")
             : fmt::format("\"{}\" is not a metric of this study{}; name one of analysis.metrics",
                           metric,
                           suggestion(metric, names));
}

bool is_higher_better(const Study& study, const std::string& name) {
  const MetricRequest* request = find_request(study.analysis, name);
  const Metric* metric = find_metric(name);
  return request != nullptr ? request->is_higher_better
                            : metric != nullptr && metric->is_higher_better;
}

}  // namespace

void read_within(Fields& root, SectionContext& context) {
  const YamlNode* analysis = root.find("analysis");
  const YamlNode* node = analysis == nullptr ? nullptr : analysis->find("within");
  if (node == nullptr) {
    return;
  }
  const std::string path = "analysis.within";
  std::vector<std::string> metrics;
  for (const YamlNode& key : node->keys) {
    metrics.push_back(key.text);
  }
  Fields fields(*node, path, metrics, context.problems);
  if (!fields.is_map() || !context.is_workload_known) {
    return;
  }
  Study& study = context.study;
  if (study.search) {
    root.problem("search", "search cannot be combined with analysis.within");
  }
  for (const std::string& metric : metrics) {
    if (const std::string wrong = refusal(study, metric);
        !wrong.empty() && fields.problem(metric, path + ": " + wrong)) {
      continue;
    }
    if (const auto level = read_amount(fields, metric, metric, study, Bare::kRefused)) {
      study.analysis.within.push_back({metric, is_higher_better(study, metric), *level});
    }
  }
}

}  // namespace scalestudy
