#include "harness/study/matrix/flat_analysis.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/study/parameters/time_to.h"

namespace scalestudy {
namespace {

using Flat = std::map<std::string, std::string>;

// What looks beyond the measured counts.
void flatten_projection(const AnalysisOptions& analysis, NumberText number, Flat& flat) {
  if (const auto& source = analysis.communication) {
    flat["analysis.communication"] =
        source->study.empty() ? fmt::format("{} s, {} bytes/s",
                                            number(source->hop_latency_s),
                                            number(source->bytes_per_second))
                              : fmt::format("study {} group {}", source->study, source->group);
    flat["analysis.communication"] +=
        fmt::format(" of {} bytes, {} {}", number(source->bytes), source->source, source->date);
  }
  if (const auto& request = analysis.projection) {
    flat["analysis.projection"] = fmt::format("to {}, held out {}, devices per node {}",
                                              fmt::join(request->to, " "),
                                              request->hold_out,
                                              request->devices_per_node);
  }
  for (const Scenario& scenario : analysis.scenarios) {
    flat["analysis.scenarios." + scenario.name] =
        fmt::format("{}: {} s, {} bytes, {} s, {} bytes/s, batch {}, {}, {} {}",
                    fmt::join(scenario.devices, " "),
                    number(scenario.compute_s),
                    number(scenario.bytes),
                    number(scenario.hop_latency_s),
                    number(scenario.bytes_per_second),
                    scenario.batch_per_device,
                    scenario.is_hidden ? "hidden" : "added",
                    scenario.source,
                    scenario.date);
  }
  if (const auto& rate = analysis.failures) {
    flat["analysis.failures"] = fmt::format(
        "{} per device and hour, {} {}", number(rate->per_device_hour), rate->source, rate->date);
  }
}

}  // namespace

std::string map_text(const Parameters& parameters) {
  std::string text;
  for (const auto& [name, value] : parameters) {
    text += (text.empty() ? "" : ", ") + name + ": " + format_value(value);
  }
  return "{" + text + "}";
}

void flatten_thresholds(const AnalysisOptions& analysis, NumberText number, Flat& flat) {
  for (std::size_t i = 0; i < analysis.thresholds.size(); ++i) {
    const ThresholdRequest& request = analysis.thresholds[i];
    const std::string name = fmt::format("analysis.thresholds[{}]", i);
    flat[name] =
        fmt::format("{} {} along {}", request.metric, number(request.level), request.along) +
        (request.between ? fmt::format(" between {} {} and {}",
                                       request.between->name,
                                       format_value(request.between->base),
                                       format_value(request.between->other))
                         : "");
    if (!request.is_relative) {
      flat[name + ".relative"] = "no";
    }
    if (request.refine) {
      flat[name + ".refine"] = fmt::format("to {}, at most {} cells, multiples of {}",
                                           number(request.refine->to),
                                           request.refine->max_cells,
                                           request.refine->grid);
    }
  }
}

Flat flat_analysis(const AnalysisOptions& analysis, NumberText number) {
  Flat flat;
  flatten_projection(analysis, number, flat);
  flat["analysis.confidence"] = number(analysis.confidence);
  flat["analysis.outliers"] =
      fmt::format("{} {}", to_word(analysis.outliers.rule), number(analysis.outliers.threshold));
  flat["analysis.margin"] = number(analysis.margin);
  for (const auto& [name, value] : analysis.baseline) {
    flat["analysis.baseline." + name] = format_value(value);
  }
  if (!analysis.decide.empty()) {
    flat["analysis.decide"] = fmt::format("{}", fmt::join(analysis.decide, ", "));
  }
  for (const MetricRequest& request : analysis.metrics) {
    flat["analysis.metrics." + request.metric] =
        fmt::format("{} is better, by {}{}",
                    request.is_higher_better ? "higher" : "lower",
                    to_word(request.by),
                    request.margin > 0.0 ? ", margin " + number(request.margin) : "");
  }
  flatten_thresholds(analysis, number, flat);
  for (const TimeToRequest& request : analysis.time_to) {
    flat["analysis.time_to." + time_to_metric(request)] = request.at_least ? "at least" : "at most";
  }
  for (const Limit& limit : analysis.within) {
    flat["analysis.within." + limit.metric] =
        fmt::format("at {} {}", limit.is_least ? "least" : "most", number(limit.level));
  }
  for (const Law law : analysis.laws) {
    flat["analysis.laws." + to_word(law)] = "yes";
  }
  for (const Target& target : analysis.targets) {
    flat["analysis.targets." + target.name] =
        fmt::format("{} where {} {}",
                    target.metric,
                    map_text(target.where),
                    target.at_least  ? "at least " + number(*target.at_least)
                    : target.at_most ? "at most " + number(*target.at_most)
                                     : "") +
        (target.source ? fmt::format(" of {} {}", to_word(target.source->kind), target.source->name)
                       : "");
  }
  return flat;
}

}  // namespace scalestudy
