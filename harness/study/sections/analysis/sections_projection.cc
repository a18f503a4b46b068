// analysis.communication, analysis.projection, analysis.scenarios and analysis.failures.
#include <algorithm>

#include <fmt/format.h>

#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"

namespace scalestudy {
namespace {

constexpr std::int64_t kMostDevices = 1000000;

void read_origin(Fields& fields, std::string& source, std::string& date) {
  source = fields.text("source").value_or("");
  date = fields.day("date").value_or("");
}

// Numbers of devices, without those that are there twice, ascending.
std::vector<std::int64_t> read_counts(Fields& fields,
                                      const std::string& key,
                                      SectionContext& context) {
  std::vector<std::int64_t> counts;
  const YamlNode* list = fields.require(key) ? fields.list(key) : nullptr;
  if (list == nullptr) {
    return counts;
  }
  if (list->items.empty()) {
    fields.problem(key, fields.path(key) + " is empty; it needs numbers of devices, e.g. [8, 16]");
  }
  for (const YamlNode& item : list->items) {
    const auto count = item.is_scalar() ? parse_integer(item.text) : std::nullopt;
    if (count && *count >= 1 && *count <= kMostDevices) {
      counts.push_back(*count);
    } else {
      context.problems.refuse(item,
                              fmt::format("{} has {}; a number of devices from 1 to {} is required",
                                          fields.path(key),
                                          item.is_scalar() ? item.text : describe(item),
                                          kMostDevices));
    }
  }
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

double required_bytes(Fields& fields, const std::string& key) {
  return fields.require(key) ? fields.bytes(key).value_or(1.0) : 1.0;
}

double required_duration(Fields& fields, const std::string& key) {
  return fields.require(key) ? fields.duration_s(key).value_or(1.0) : 1.0;
}

void read_communication(Fields& analysis, SectionContext& context) {
  const YamlNode* node = analysis.map("communication");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "analysis.communication", context.problems);
  CommunicationSource& source = context.study.analysis.communication.emplace();
  read_origin(fields, source.source, source.date);
  source.bytes = fields.bytes("bytes").value_or(0.0);
  if (fields.has("study")) {
    source.study = fields.text("study").value_or("");
    source.group = fields.text("group").value_or("");
    fields.refuse({"hop_latency", "bytes_per_second"},
                  "analysis.communication.study measures it; leave one of the two out");
    return;
  }
  fields.refuse({"group"}, "it names a curve of analysis.communication.study, which is not there");
  source.hop_latency_s = required_duration(fields, "hop_latency");
  source.bytes_per_second = required_bytes(fields, "bytes_per_second");
}

void read_request(Fields& analysis, SectionContext& context) {
  const YamlNode* node = analysis.map("projection");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "analysis.projection", context.problems);
  ProjectionRequest& request = context.study.analysis.projection.emplace();
  request.to = read_counts(fields, "to", context);
  request.devices_per_node =
      fields.integer("devices_per_node", 1, kMostDevices).value_or(std::int64_t{0});
  const YamlNode* hold_out = fields.find("hold_out");
  if (hold_out != nullptr && !(hold_out->is_scalar() && hold_out->text == "largest")) {
    request.hold_out = fields.integer("hold_out", 1, 100).value_or(std::int64_t{0});
  }
}

void read_scenarios(Fields& analysis, SectionContext& context) {
  const YamlNode* list = analysis.list("scenarios");
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    Fields fields =
        section_fields(list->items[i], fmt::format("analysis.scenarios[{}]", i), context.problems);
    if (!fields.is_map()) {
      continue;
    }
    Scenario scenario;
    scenario.name = fields.require("name") ? fields.text("name").value_or("") : "";
    scenario.devices = read_counts(fields, "devices", context);
    scenario.compute_s = required_duration(fields, "compute");
    scenario.bytes = required_bytes(fields, "bytes");
    scenario.hop_latency_s = required_duration(fields, "hop_latency");
    scenario.bytes_per_second = required_bytes(fields, "bytes_per_second");
    scenario.batch_per_device =
        fields.require("batch_per_device")
            ? fields.integer("batch_per_device", 1, kMostDevices).value_or(std::int64_t{1})
            : 1;
    scenario.is_hidden = fields.choice("communication", {"added", "hidden"}) == "hidden";
    fields.require("source");
    read_origin(fields, scenario.source, scenario.date);
    const auto& others = context.study.analysis.scenarios;
    if (std::ranges::find(others, scenario.name, &Scenario::name) != others.end()) {
      fields.problem("name", fmt::format("two scenarios have the name \"{}\"", scenario.name));
    }
    context.study.analysis.scenarios.push_back(std::move(scenario));
  }
}

void read_failures(Fields& analysis, SectionContext& context) {
  const YamlNode* node = analysis.map("failures");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "analysis.failures", context.problems);
  FailureRate& rate = context.study.analysis.failures.emplace();
  const auto declared =
      fields.require("per_device_hour") ? fields.number("per_device_hour") : std::nullopt;
  rate.per_device_hour = declared.value_or(1.0);
  if (!(rate.per_device_hour > 0.0)) {
    fields.problem("per_device_hour",
                   fmt::format("{} is {}; a rate above 0 is required; where nothing fails, leave "
                               "analysis.failures out",
                               fields.path("per_device_hour"),
                               rate.per_device_hour));
  }
  fields.require("source");
  read_origin(fields, rate.source, rate.date);
}

}  // namespace

void read_projection(Fields& analysis, SectionContext& context) {
  read_communication(analysis, context);
  read_request(analysis, context);
  read_scenarios(analysis, context);
  read_failures(analysis, context);
}

}  // namespace scalestudy
