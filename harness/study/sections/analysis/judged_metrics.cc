// Which metrics a study may ask for, and which its targets, thresholds and limits may be about.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "harness/study/declared/varied_names.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/trial_metrics.h"
#include "harness/study/sections/sections.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Why no trial of the study has a utilization; empty if trials may have one.
std::string refuse_utilization(const Study& study) {
  constexpr const char* peak = "device_peak_flops";
  const std::string metric = names::kUtilization;
  if (study.workload == Workload::kCommand) {
    const bool is_read =
        study.extract.empty() ||  // it writes the protocol
        std::ranges::find(study.extract, metric, &ExtractRule::metric) != study.extract.end();
    return is_read ? "" : metric + " is given by no extract rule; add one";
  }
  if (study.workload == Workload::kCollective) {
    return metric + " is one of models, and a collective has none";
  }
  return study.parameters.contains(peak) || varied_names(study).contains(peak)
             ? ""
             : fmt::format("{} is relative to the peak of a device; add it to parameters: {}",
                           metric,
                           peak);
}

}  // namespace

std::string refuse_asked(const Study& study, const std::string& metric) {
  const bool is_command = study.workload == Workload::kCommand;
  if (std::string wrong = refuse_request(metric, is_command);
      !wrong.empty() || study.extract.empty()) {  // a command without rules writes the protocol
    return wrong.empty() ? check_trial_metric(study.workload, metric) : wrong;
  }
  std::vector<std::string> names{kTrialWallTime, "cpu_s", "max_rss_bytes"};  // of every trial
  for (const ExtractRule& rule : study.extract) {
    names.push_back(rule.metric);
  }
  for (const auto& [share, parts] : step_shares()) {
    std::vector<std::string> lacking;
    std::ranges::copy_if(parts, std::back_inserter(lacking), [&](const std::string& part) {
      return std::ranges::find(names, part) == names.end();
    });
    if (lacking.empty()) {
      names.push_back(share);
    } else if (share == metric) {
      return metric + " needs extract rules for " + join_words(lacking);
    }
  }
  return std::find(names.begin(), names.end(), metric) != names.end()
             ? ""
             : metric + " is given by no extract rule" + suggestion(metric, names);
}

std::vector<std::string> allowed_metrics(const Study& study, bool Metric::*may_stand) {
  std::vector<std::string> names = metric_names(may_stand);
  for (const MetricRequest& request : study.analysis.metrics) {
    names.push_back(request.metric);
  }
  return names;
}

std::string refuse_judged(const Study& study,
                          const std::string& metric,
                          const std::vector<std::string>& allowed) {
  if (std::ranges::find(allowed, metric) != allowed.end()) {
    return metric == names::kUtilization ? refuse_utilization(study) : "";
  }
  const bool can_be_asked =
      !metric.empty() && suggestion(metric, allowed).empty() && refuse_asked(study, metric).empty();
  return can_be_asked
             ? fmt::format(
                   "{0} is not in analysis.metrics; add it there: metrics: [{{metric: {0}, "
                   "better: higher}}], or better: lower",
                   metric)
             : "";
}

std::string read_judged_metric(Fields& fields,
                               const SectionContext& context,
                               bool Metric::*may_stand) {
  const YamlNode* node = fields.find("metric");
  const std::vector<std::string> allowed = allowed_metrics(context.study, may_stand);
  const std::string wrong = node == nullptr || !node->is_scalar() || !context.is_workload_known
                                ? std::string()
                                : refuse_judged(context.study, node->text, allowed);
  if (!wrong.empty() && fields.problem("metric", fields.path("metric") + ": " + wrong)) {
    return "";
  }
  return fields.choice("metric", allowed).value_or("");
}

}  // namespace scalestudy
