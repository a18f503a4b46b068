// analysis.thresholds[].between: two settings, of which a threshold finds where the faster changes.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "harness/study/sections/parameter_entries.h"
#include "harness/study/sections/sections.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

constexpr std::size_t kSettings = 2;

// The values that the study varies `name` over by itself; empty if it is no axis of its own.
std::vector<std::string> values_of(const Study& study, const std::string& name) {
  std::vector<std::string> values;
  if (name == kSideParameter) {
    for (const StudySide& side : study.sides) {
      values.push_back(side.name);
    }
    return values;
  }
  const auto axis = std::ranges::find(study.axes, name, &Axis::name);
  for (const Value& value : axis == study.axes.end() ? std::vector<Value>() : axis->values) {
    values.push_back(format_value(value));
  }
  return values;
}

// Reads one of the two values; reports one that no cell has.
bool read_setting(const YamlNode& item,
                  const std::string& path,
                  const std::string& name,
                  SectionContext& context,
                  Value& value) {
  if (!read_entry_value(name, item, context, value)) {
    return false;
  }
  const std::vector<std::string> values = values_of(context.study, name);
  if (std::ranges::find(values, format_value(value)) != values.end()) {
    return true;
  }
  const std::string message = values.empty()
                                  ? fmt::format("{}: {} is not under axes", path, name)
                                  : fmt::format("{}: the axis {} has no value {}; it has {}",
                                                path,
                                                name,
                                                item.text,
                                                join(values, ", "));
  return !context.problems.refuse(item, message);
}

// What cannot be combined with two settings: they are compared at the same place, and where they
// are equal.
void check_request(Fields& threshold, const ThresholdRequest& request, const std::string& path) {
  if (request.metric == names::kEfficiency) {
    threshold.problem("metric",
                      path +
                          " compares settings on the same devices; efficiency compares "
                          "numbers of devices");
  }
  if (request.level != 1.0) {
    threshold.problem("level", path + " finds where both settings are equal; leave level out");
  }
  if (request.between->name == request.along) {
    threshold.problem("along",
                      fmt::format("{} is \"{}\", the axis of the two settings; name another",
                                  threshold.path("along"),
                                  request.along));
  }
}

// The first setting becomes the study's baseline, unless that is declared and the same.
void set_baseline(Fields& threshold,
                  const BetweenRequest& between,
                  const std::string& path,
                  SectionContext& context) {
  Parameters& baseline = context.study.analysis.baseline;
  const Parameters wanted{{between.name, between.base}};
  if (baseline.empty()) {
    baseline = wanted;
    return;
  }
  if (baseline == wanted) {
    return;
  }
  std::vector<std::string> has;
  for (const auto& [name, value] : baseline) {
    has.push_back(name + "=" + format_value(value));
  }
  threshold.problem(
      "between",
      fmt::format("{} compares with {}={}, but the study's baseline is {}, and it has only one: "
                  "leave that one out, or ask this in a study of its own",
                  path,
                  between.name,
                  format_value(between.base),
                  join(has, " ")));
}

}  // namespace

void read_between(Fields& threshold, SectionContext& context, ThresholdRequest& request) {
  const YamlNode* node = threshold.map("between");
  if (node == nullptr || !context.is_workload_known) {
    return;
  }
  const std::string path = threshold.path("between");
  const bool is_pair = node->keys.size() == 1 && node->items.front().is_sequence() &&
                       node->items.front().items.size() == kSettings;
  if (!is_pair) {
    context.problems.add(
        *node, path + " must be one axis with two of its values, like {overlap: [none, stream]}");
    return;
  }
  BetweenRequest between{.name = node->keys.front().text, .base = {}, .other = {}};
  const std::vector<YamlNode>& settings = node->items.front().items;
  if (!check_entry_name(node->keys.front(), context) ||
      !read_setting(settings.front(), path, between.name, context, between.base) ||
      !read_setting(settings.back(), path, between.name, context, between.other)) {
    return;
  }
  if (between.base == between.other) {
    threshold.problem("between", path + " names the same value twice");
    return;
  }
  request.between = between;
  check_request(threshold, request, path);
  set_baseline(threshold, between, path, context);
}

}  // namespace scalestudy
