#include "harness/study/sections/amount.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "harness/study/matrix/command.h"
#include "harness/study/parameters/metrics.h"
#include "harness/text/quantity.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Ratios above this are surely percentages without their sign.
constexpr double kMaxPlainRatio = 2.0;

constexpr std::string_view kPerSecond = "/s";

constexpr const char* kUnitOne = "1";

bool is_number(const YamlNode& node) {
  return node.is_scalar() && parse_number(node.text).has_value();
}

// Whether an extract rule reads the metric in percent and it is stored as a share.
bool is_read_in_percent(const Study& study, const std::string& metric) {
  return std::ranges::any_of(study.extract, [&](const ExtractRule& rule) {
    return rule.metric == metric && is_in_percent(metric, rule.unit);
  });
}

// Whether the program's own metric is a share of 1 by its name and its extract rule.
bool is_own_share(const Study& study, const std::string& metric) {
  return metric.ends_with("_share") &&
         std::ranges::any_of(study.extract, [&](const ExtractRule& rule) {
           return rule.metric == metric && rule.unit == kUnitOne;
         });
}

// Whether to leave out a number alone as a limit of a metric that is read in percent: 0.95 may be
// 95 % of it or 0.95 %. 0 is either.
bool refuse_bare_percent(Fields& fields,
                         const std::string& key,
                         const std::string& text,
                         double value) {
  const std::string as_share =
      0.0 < value && value <= 1.0 ? fmt::format("{:g}%, or ", value * 100.0) : std::string();
  return value != 0.0 &&
         fields.problem(key,
                        fmt::format("{} is {}, of a metric whose extract rule reads percent; "
                                    "write {}{}%",
                                    fields.path(key),
                                    text,
                                    as_share,
                                    text));
}

// - is_percent: a number alone was in percent in stored studies.
// - may_be_percent: it was if it is too large for a share.
std::optional<double> read_share(Fields& fields,
                                 const std::string& key,
                                 const YamlNode& node,
                                 bool is_percent,
                                 bool may_be_percent) {
  if (node.is_scalar() && node.text.ends_with('%')) {
    return fields.percent(key);
  }
  const auto value = fields.number(key);
  if (value && is_percent) {
    return refuse_bare_percent(fields, key, node.text, *value) ? std::nullopt
                                                               : std::optional(*value * kHundredth);
  }
  if (!value || *value <= kMaxPlainRatio) {
    return value;
  }
  if (fields.problem(key,
                     fmt::format("{} is {}, that is {:.0f} %; write {}% or {:g}",
                                 fields.path(key),
                                 node.text,
                                 *value * 100.0,
                                 node.text,
                                 *value / 100.0))) {
    return std::nullopt;
  }
  return may_be_percent ? *value * kHundredth : *value;
}

// "10GB/s".
std::optional<double> read_byte_rate(Fields& fields, const std::string& key, const YamlNode& node) {
  const bool is_rate = node.is_scalar() && node.text.ends_with(kPerSecond);
  const Quantity rate =
      is_rate ? parse_bytes(node.text.substr(0, node.text.size() - kPerSecond.size()))
              : Quantity{.value = std::nullopt, .problem = "a rate, such as 10GB/s, is needed"};
  if (!rate.value) {
    fields.problem(key, fields.path(key) + ": " + rate.problem);
  }
  return rate.value;
}

// A number in the unit that the store has, unless that is percent, or one with that unit or the one
// of the metric's extract rule behind it; of a time, with any unit of time.
std::optional<double> read_plain(Fields& fields,
                                 const std::string& key,
                                 const std::string& metric,
                                 const Study& study,
                                 const YamlNode& node) {
  const auto rule = std::ranges::find(study.extract, metric, &ExtractRule::metric);
  if (rule == study.extract.end() || rule->unit.empty() || is_number(node) || !node.is_scalar()) {
    const auto value = fields.number(key);
    const bool reads_percent = rule != study.extract.end() && is_percent(rule->unit);
    return value && reads_percent && refuse_bare_percent(fields, key, node.text, *value)
               ? std::nullopt
               : value;
  }
  const StoredUnit stored = stored_unit(*rule);
  std::vector<std::pair<std::string, double>> units{{rule->unit, stored.factor},
                                                    {stored.unit, 1.0}};
  if (rule->unit == kUnitOne || is_percent(rule->unit)) {
    units.emplace_back("%", rule->unit == kUnitOne ? kHundredth : stored.factor);
  }
  for (const auto& [unit, factor] : units) {
    std::string number = node.text;
    if (!unit.empty() && number.ends_with(unit)) {
      number.resize(number.size() - unit.size());
      number.resize(number.find_last_not_of(' ') + 1);
      if (const std::optional<double> value = parse_number(number)) {
        return fields.is_as_before() ? *value : *value * factor;
      }
    }
  }
  if (stored.unit == "s") {
    return fields.duration_s(key);
  }
  fields.problem(key,
                 fmt::format("{} is \"{}\"; {} is in {}, as its extract rule says",
                             fields.path(key),
                             node.text,
                             metric,
                             rule->unit));
  return std::nullopt;
}

}  // namespace

std::optional<double> read_amount(Fields& fields,
                                  const std::string& key,
                                  const std::string& metric,
                                  const Study& study,
                                  Bare bare) {
  const YamlNode* node = fields.find(key);
  if (node == nullptr) {
    return std::nullopt;
  }
  const bool is_bare = bare == Bare::kTaken && metric != names::kStepTime && is_number(*node);
  const bool is_accuracy =
      metric == names::kAccuracy && study.workload == Workload::kTrain;  // of `train`, a share
  // The harness's own efficiency is a share, whatever the program calls by that name.
  const bool is_of_program = is_fraction(metric) && !is_share(metric);
  const bool is_percent = is_of_program && is_read_in_percent(study, metric);
  const bool is_as_printed = is_percent && fields.is_as_before();  // stored like that
  // A program that writes the protocol may have given percentages, which are read as shares now.
  const bool may_be_percent = is_of_program && study.workload == Workload::kCommand &&
                              study.extract.empty() && !fields.is_as_before();
  if ((is_fraction(metric) && !is_as_printed) || is_accuracy || is_own_share(study, metric)) {
    return read_share(fields, key, *node, is_percent, may_be_percent);
  }
  if (metric.ends_with("_bytes_per_s") && !is_bare) {
    return read_byte_rate(fields, key, *node);
  }
  if (metric.ends_with("_bytes") && !is_bare) {
    return fields.bytes(key);
  }
  const bool is_time = metric == kTrialWallTime || metric == names::kStepTime ||
                       metric.ends_with("_time_s") ||
                       (study.extract.empty() && metric.ends_with("_s"));
  if (is_time && !is_bare) {
    return fields.duration_s(key);
  }
  if (metric == kTrainingHours && !is_number(*node)) {
    const std::optional<double> duration_s = fields.duration_s(key);
    return duration_s ? std::optional(*duration_s / kSecondsAnHour) : std::nullopt;
  }
  return read_plain(fields, key, metric, study, *node);
}

}  // namespace scalestudy
