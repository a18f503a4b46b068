// analysis.thresholds[].refine: what a search for a break-even needs.
#include <algorithm>

#include <fmt/format.h>

#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Fewer give intervals of each value too little to rest a place on (METHODS.md, Adaptive stopping).
constexpr int kLeastTrials = 8;
constexpr std::size_t kLeastValues = 5;
constexpr std::int64_t kWidestStep = 2;

// Why the axis cannot be searched; empty when it can.
std::string unsearchable(const Study& study, const std::string& along) {
  if (along == names::kDevices || along == names::kNodes) {
    return "is a count: the tested counts themselves are the answer";
  }
  const auto axis = std::ranges::find(study.axes, along, &Axis::name);
  if (axis == study.axes.end()) {
    return "is not a list under axes, to which values could be added";
  }
  std::vector<std::int64_t> values;
  for (const Value& value : axis->values) {
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (integer == nullptr || *integer <= 0) {
      return "has values that are no integers above 0";
    }
    values.push_back(*integer);
  }
  std::ranges::sort(values);
  const auto is_too_wide = [](std::int64_t left, std::int64_t right) {
    return right > kWidestStep * left;
  };
  return values.size() < kLeastValues
             ? fmt::format("has {} values; a width rests on five or more", values.size())
         : std::ranges::adjacent_find(values, is_too_wide) != values.end()
             ? "has neighbouring values more than a factor of 2 apart, between which nothing is "
               "interpolated"
         : study.analysis.baseline.contains(along)
             ? "is named by analysis.baseline; each tested value needs a base of its own"
             : "";
}

}  // namespace

void read_refine(Fields& threshold, SectionContext& context, ThresholdRequest& request) {
  const YamlNode* node = threshold.map("refine");
  if (node == nullptr) {
    return;
  }
  const Study& study = context.study;
  const std::string path = threshold.path("refine");
  Fields fields = section_fields(*node, path, context.problems);
  RefineRequest refine;
  if (fields.require("to")) {
    const auto width = fields.percent("to");
    if (width && (!(*width > 0.0) || *width >= 1.0)) {
      fields.problem("to", path + ".to must be above 0% and below 100%");
    }
    refine.to = width.value_or(refine.to);
  }
  refine.max_cells = fields.integer("max_cells", 2, 1000).value_or(refine.max_cells);
  refine.grid = fields.integer("grid", 1, 1'000'000'000).value_or(refine.grid);
  if (std::string why = unsearchable(study, request.along);
      !why.empty() && context.is_workload_known) {
    threshold.problem("refine", fmt::format("{}: {} {}", path, request.along, why));
  }
  if (study.trials.is_for_verdicts) {
    threshold.problem("refine",
                      path +
                          ": trials: {for: verdicts} ends cells by what they say of the level, "
                          "which places the break-even wrongly; give trials: {count: 8} or more, "
                          "or {min: 8, max: 50, until: 2%}");
  } else if (const int least = study.trials.until ? study.trials.min : study.trials.count;
             least < kLeastTrials) {
    threshold.problem(
        "refine",
        fmt::format(
            "{}: needs {} trials of each cell or more, trials has {}", path, kLeastTrials, least));
  }
  request.refine = refine;
}

}  // namespace scalestudy
