// analysis: confidence, outliers, baseline, decide, margin, metrics, thresholds, laws, targets.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "harness/study/declared/varied_names.h"
#include "harness/study/parameters/interconnect.h"
#include "harness/study/parameters/measured_axis.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/sections/amount.h"
#include "harness/study/sections/parameter_entries.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr double kTukeyThreshold = 1.5;

// An equivalence test is at 1 - confidence on each side: at half or less it tests nothing.
constexpr double kLeastConfidence = 0.5;

// A percentage above `least` (a fraction) and below 100%.
void read_fraction(Fields& fields, const std::string& key, double least, double& target) {
  const auto refuse = [&] {
    return fields.problem(key,
                          fmt::format("{} is {}; it must be above {:g}% and below 100%",
                                      fields.path(key),
                                      fields.find(key)->text,
                                      100.0 * least));
  };
  const auto is_allowed = [&](double share) { return share > least && share < 1.0; };
  // A number alone may be a share or in percent. If neither is allowed, a unit does not mend it.
  const YamlNode* node = fields.find(key);
  const auto bare = node != nullptr && node->is_scalar() ? parse_number(node->text) : std::nullopt;
  if (bare && !is_allowed(*bare) && !is_allowed(*bare * kHundredth) && refuse()) {
    return;
  }
  const auto value = fields.percent(key);
  if (value && (is_allowed(*value) || !refuse())) {
    target = *value;
  }
}

void read_outliers(Fields& analysis, SectionContext& context) {
  const YamlNode* node = analysis.find("outliers");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "analysis.outliers", context.problems);
  OutlierRule& rule = context.study.analysis.outliers;
  rule.rule = fields.word<OutlierMethod>("rule").value_or(rule.rule);
  if (rule.rule == OutlierMethod::kTukey) {
    rule.threshold = kTukeyThreshold;
  }
  rule.threshold = fields.positive_number("threshold").value_or(rule.threshold);
}

// Whether every value that `name` takes in the study is a number.
bool is_numeric_axis(const Study& study, const std::string& name) {
  std::vector<Value> values;
  for (const Axis& axis : study.axes) {
    if (axis.name == name) {
      values = axis.values;
    }
  }
  for (const auto* rows : {&study.zip, &study.include}) {
    for (const Parameters& row : *rows) {
      if (const auto found = row.find(name); found != row.end()) {
        values.push_back(found->second);
      }
    }
  }
  const bool has_none = name == kInterconnectBandwidth;  // 0, which is none and no rate
  return std::all_of(values.begin(), values.end(), [&](const Value& value) {
    return number_of(value) && !(has_none && value == Value(0.0));
  });
}

// The number of parameters is an axis where the model, or its shape, is one.
bool varies_model(const std::set<std::string>& varied) {
  return std::any_of(varied.begin(), varied.end(), [](const std::string& name) {
    return name == names::kModel || name.starts_with("model.");
  });
}

void read_along(Fields& fields, SectionContext& context, ThresholdRequest& request) {
  request.along = fields.text("along").value_or("");
  if (request.along.empty() || !context.is_workload_known) {
    return;
  }
  const std::set<std::string> varied = varied_names(context.study);
  if (request.along == names::kParameterCount && context.study.workload == Workload::kTrain) {
    if (!varies_model(varied)) {
      fields.problem("along",
                     fmt::format("{} is {}, but every cell has the same model; add model or a "
                                 "parameter of its shape, like model.width, to axes",
                                 fields.path("along"),
                                 names::kParameterCount));
    }
    return;
  }
  if (request.along == kComputationTime && context.study.workload == Workload::kTrain) {
    const std::vector<CellRole>& controls = context.study.controls;
    if (std::find(controls.begin(), controls.end(), CellRole::kNoop) == controls.end()) {
      fields.problem("along",
                     fmt::format("{} is {}, which the control noop measures; add it: controls: "
                                 "[noop]",
                                 fields.path("along"),
                                 kComputationTime));
    }
    return;
  }
  const std::vector<std::string> names(varied.begin(), varied.end());
  if (!varied.contains(request.along)) {
    const bool is_fixed = context.study.parameters.contains(request.along);
    fields.problem("along",
                   fmt::format("{} is \"{}\", which {}{}",
                               fields.path("along"),
                               request.along,
                               is_fixed ? "is fixed under parameters, no axis"
                                        : "is not an axis of this study",
                               is_fixed ? "" : suggestion(request.along, names)));
  } else if (!is_numeric_axis(context.study, request.along)) {
    fields.problem("along",
                   fmt::format("{} is \"{}\", an axis of text; a threshold needs a numeric axis",
                               fields.path("along"),
                               request.along));
  }
}

void read_metrics(Fields& analysis, SectionContext& context) {
  const YamlNode* list = analysis.list("metrics");
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    Fields fields =
        section_fields(list->items[i], fmt::format("analysis.metrics[{}]", i), context.problems);
    if (!fields.is_map()) {
      continue;
    }
    MetricRequest request;
    if (fields.require("metric")) {
      request.metric = fields.text("metric").value_or("");
      const std::string wrong =
          context.is_workload_known ? refuse_asked(context.study, request.metric) : std::string();
      if (!wrong.empty()) {
        fields.problem("metric", fields.path("metric") + ": " + wrong);
      }
      if (find_request(context.study.analysis, request.metric) != nullptr) {
        fields.problem("metric", request.metric + " is given twice");
      }
    }
    if (fields.require("better")) {
      request.is_higher_better =
          fields.choice("better", {"lower", "higher"}).value_or("lower") == "higher";
    }
    request.by = fields.word<TrialStatistic>("by").value_or(request.by);
    read_fraction(fields, "margin", 0.0, request.margin);
    if (request.metric == kTrialWallTime && request.by == TrialStatistic::kP50) {
      fields.problem("by", "wall_s is one value a trial: by p50 says nothing");
    }
    context.study.analysis.metrics.push_back(request);
  }
}

// What a metric of a threshold has to be.
bool Metric::*flag_of(const ThresholdRequest& request) {
  return request.is_relative ? &Metric::is_threshold : &Metric::is_target;
}

// Whether the values of the metric are shares, by its name or its extract rule.
bool has_shares(const Study& study, const std::string& metric) {
  return is_fraction(metric) || metric.ends_with("_share") ||
         std::ranges::any_of(study.extract, [&](const ExtractRule& rule) {
           return rule.metric == metric && is_percent(rule.unit);
         });
}

// What is wrong with the level of a ratio to the baseline; empty if nothing is.
std::string refuse_ratio(const Fields& fields,
                         const YamlNode& level,
                         const Study& study,
                         const ThresholdRequest& request) {
  constexpr double most_of_shares = 2.0;
  const std::string& text = level.text;
  const bool is_itself = parse_bytes(text).value || parse_duration_s(text).value ||
                         (text.ends_with('%') && !is_relative(request.metric));
  if (is_itself) {
    return fmt::format(
        "{} is {}, but the threshold is on the ratio to the baseline; for a level of {} itself add "
        "relative: false",
        fields.path("level"),
        text,
        request.metric.empty() ? "the metric" : request.metric);
  }
  const std::optional<double> ratio = parse_number(text);
  const bool is_too_large = ratio && *ratio > most_of_shares && !fields.has("relative") &&
                            !is_share(request.metric) && has_shares(study, request.metric);
  return is_too_large ? fmt::format(
                            "{0} is {1}, that is {1} times the {2} of the baseline; if so, add "
                            "relative: true, and for a level of {2} itself write level: {1}% and "
                            "relative: false",
                            fields.path("level"),
                            text,
                            request.metric)
                      : "";
}

void read_level(Fields& fields, const Study& study, ThresholdRequest& request) {
  const YamlNode* node = fields.find("level");
  if (request.is_relative) {
    const std::string wrong = node == nullptr || !node->is_scalar()
                                  ? std::string()
                                  : refuse_ratio(fields, *node, study, request);
    if (!wrong.empty() && fields.problem("level", wrong)) {
      return;
    }
    const std::optional<double> level =
        is_share(request.metric) ? read_amount(fields, "level", request.metric, study, Bare::kTaken)
                                 : fields.positive_number("level");
    if (level && !(*level > 0.0)) {
      fields.problem("level", fields.path("level") + " must be above 0");
    }
    request.level = level.value_or(request.level);
    return;
  }
  if (is_relative(request.metric)) {
    fields.problem("relative", request.metric + " is a ratio; leave relative: false out");
  }
  for (const char* key : {"between", "refine"}) {
    if (fields.has(key)) {
      fields.problem(key,
                     fmt::format("{} compares with a baseline, which relative: false does not",
                                 fields.path(key)));
    }
  }
  if (fields.require("level") && !request.metric.empty()) {
    request.level =
        read_amount(fields, "level", request.metric, study, Bare::kRefused).value_or(request.level);
  }
}

void read_thresholds(Fields& analysis, SectionContext& context) {
  const YamlNode* list = analysis.list("thresholds");
  if (list == nullptr) {
    return;
  }
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    Fields fields =
        section_fields(list->items[i], fmt::format("analysis.thresholds[{}]", i), context.problems);
    if (!fields.is_map()) {
      continue;
    }
    ThresholdRequest request;
    if (fields.has("metric") || !fields.has("between")) {
      fields.require("metric");
      request.is_relative = fields.choice("relative", {"true", "false"}).value_or("true") == "true";
      request.metric = read_judged_metric(fields, context, flag_of(request));
    } else {
      request.metric = names::kSpeedup;
    }
    read_level(fields, context.study, request);
    if (fields.require("along")) {
      read_along(fields, context, request);
    }
    read_between(fields, context, request);
    read_refine(fields, context, request);
    context.study.analysis.thresholds.push_back(request);
  }
}

void read_laws(Fields& analysis, SectionContext& context) {
  const YamlNode* list = analysis.list("laws");
  if (list == nullptr) {
    return;
  }
  const std::vector<std::string>& allowed = words_of<Law>();
  auto& laws = context.study.analysis.laws;
  for (const YamlNode& item : list->items) {
    if (!is_word(item, "a law", allowed, context.problems)) {
      continue;
    }
    const Law law = *from_word<Law>(item.text);
    if (std::find(laws.begin(), laws.end(), law) != laws.end()) {
      context.problems.refuse(item, fmt::format("law {} is given twice", item.text));
    } else if (law != Law::kAlphaBeta ||
               varied_names(context.study).contains(names::kMessageBytes) ||
               !context.problems.refuse(
                   item,
                   "law alpha_beta is the time of a message over its size; it needs an axis "
                   "message_bytes")) {
      laws.push_back(law);
    }
  }
}

}  // namespace

bool has_baseline(const Fields& analysis, const Study& study) {
  const YamlNode* node = analysis.find("baseline");
  return !study.analysis.baseline.empty() || !study.sides.empty() ||
         (node != nullptr && !(node->is_map() && node->keys.empty()));
}

void read_analysis(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("analysis");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "analysis", context.problems);
  AnalysisOptions& analysis = context.study.analysis;
  read_fraction(fields, "confidence", kLeastConfidence, analysis.confidence);
  read_fraction(fields, "margin", 0.0, analysis.margin);
  read_outliers(fields, context);
  if (const YamlNode* baseline = fields.map("baseline")) {
    analysis.baseline = read_selection(*baseline, "analysis.baseline", context);
  }
  analysis.decide = read_varied(fields, "decide", context);
  read_metrics(fields, context);
  read_thresholds(fields, context);
  read_time_to(fields, context);
  read_laws(fields, context);
  read_targets(fields, context);
  read_projection(fields, context);
  const YamlNode* thresholds = fields.find("thresholds");
  const bool has_relative =
      std::ranges::any_of(analysis.thresholds, &ThresholdRequest::is_relative);
  const bool has_between =
      thresholds != nullptr && std::ranges::any_of(thresholds->items, [](const YamlNode& item) {
        return item.find("between") != nullptr;  // which has its own problems if it gave none
      });
  if (has_relative && !has_between && !has_baseline(fields, context.study)) {
    fields.problem("thresholds",
                   "a threshold needs a baseline; add analysis.baseline, e.g. {devices: 1}");
  }
}

}  // namespace scalestudy
