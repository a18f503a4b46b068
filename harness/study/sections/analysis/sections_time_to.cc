// analysis.time_to: accuracies and losses that training is to reach.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/time_to.h"
#include "harness/study/sections/amount.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "harness/text/quantity.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Whether cells evaluate after each epoch, by parameters or by an axis.
bool evaluates_epochs(const Study& study) {
  const Value epochs{std::string("epochs")};
  const auto found = study.parameters.find("evaluate");
  return (found != study.parameters.end() && found->second == epochs) ||
         std::ranges::any_of(study.axes, [&](const Axis& axis) {
           return axis.name == "evaluate" &&
                  std::ranges::find(axis.values, epochs) != axis.values.end();
         });
}

// What is wrong with a time to that metric; empty if nothing is.
std::string check_goal(const Study& study, const std::string& metric) {
  if (study.workload == Workload::kCollective) {
    return "a collective learns nothing";
  }
  if (study.workload == Workload::kTrain) {
    const std::vector<std::string> known{names::kAccuracy, "held_out_loss", names::kLoss};
    if (std::ranges::find(known, metric) == known.end()) {
      return fmt::format("{} is nothing that training reaches{}; name one of {}",
                         metric,
                         suggestion(metric, known),
                         join(known, ", "));
    }
    return metric == names::kLoss || evaluates_epochs(study)
               ? ""
               : metric + " is known after each epoch only with evaluate: epochs";
  }
  const bool is_given = study.extract.empty() ||  // it writes the protocol
                        std::ranges::any_of(study.extract, [&](const ExtractRule& rule) {
                          return rule.metric == metric;
                        });
  return is_given ? "" : metric + " is given by no extract rule";
}

// The number before the % sign; reports one that is none.
std::optional<double> read_printed_percent(Fields& fields, const std::string& key) {
  const std::optional<double> share = fields.percent(key);
  const std::string& text = fields.find(key)->text;
  const std::size_t end = text.find_last_not_of(" %");
  return share && end != std::string::npos ? parse_number(text.substr(0, end + 1)) : std::nullopt;
}

// A percentage is a share, unless the metric's extract rule says that it is printed in percent and
// it is stored like that. Earlier versions made a share of each, and took any number of a step
// time.
std::optional<double> read_level(Fields& fields,
                                 const std::string& key,
                                 const std::string& metric,
                                 const Study& study) {
  const YamlNode* node = fields.find(key);
  const auto rule = std::ranges::find(study.extract, metric, &ExtractRule::metric);
  if (node != nullptr && node->is_scalar() && node->text.ends_with('%')) {
    const bool is_printed = rule != study.extract.end() && is_percent(rule->unit);
    return is_printed && !is_fraction(metric) && !fields.is_as_before()
               ? read_printed_percent(fields, key)
               : fields.percent(key);
  }
  const bool is_number =
      node != nullptr && node->is_scalar() && parse_number(node->text).has_value();
  return metric == names::kStepTime && is_number
             ? fields.number(key)
             : read_amount(fields, key, metric, study, Bare::kTaken);
}

}  // namespace

void read_time_to(Fields& analysis, SectionContext& context) {
  const YamlNode* list = analysis.list("time_to");
  std::set<std::string> names;
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const std::string name = fmt::format("analysis.time_to[{}]", i);
    Fields fields = section_fields(list->items[i], name, context.problems);
    if (!fields.is_map()) {
      continue;
    }
    TimeToRequest request;
    if (fields.require("metric")) {
      request.metric = fields.text("metric").value_or("");
      const std::string wrong =
          context.is_workload_known ? check_goal(context.study, request.metric) : std::string();
      if (!wrong.empty()) {
        fields.problem("metric", fields.path("metric") + ": " + wrong);
      }
    }
    if (fields.has("at_least") == fields.has("at_most")) {
      context.problems.refuse(list->items[i],
                              name + ": exactly one of at_least and at_most is required");
    }
    request.at_least = read_level(fields, "at_least", request.metric, context.study);
    request.at_most = read_level(fields, "at_most", request.metric, context.study);
    if (!names.insert(time_to_metric(request)).second) {
      context.problems.refuse(list->items[i], name + " is given twice");
    }
    context.study.analysis.time_to.push_back(std::move(request));
  }
}

}  // namespace scalestudy
