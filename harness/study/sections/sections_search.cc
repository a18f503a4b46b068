// search.
#include <algorithm>

#include <fmt/format.h>

#include "harness/study/declared/step_work.h"
#include "harness/study/declared/varied_names.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parameters/metrics.h"
#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/sections/parameter_entries.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

constexpr std::int64_t kMostBatch = 1'000'000'000;

// Fewer settings are compared by analysis.baseline.
constexpr std::size_t kFewestSettings = 3;

// What varies of the study's cells: each name once, checked.
void read_over(Fields& fields, SectionContext& context) {
  std::vector<std::string>& over = context.study.search->over;
  over = read_varied(fields, "over", context);
  std::vector<std::string> left;
  for (const std::string& name : varied_names(context.study)) {
    if (std::ranges::find(over, name) == over.end()) {
      left.push_back(name);
    }
  }
  if (!left.empty() && context.problems.empty()) {
    fields.problem("over",
                   fmt::format("search.over leaves out {}, which the study varies too: a search "
                               "finds one setting. Add it, or fix it under parameters and make a "
                               "study of each value",
                               join(left, ", ")));
  }
}

// The first value of each, unless `defaults` says otherwise.
Parameters read_defaults(Fields& fields, SectionContext& context) {
  const Study& study = context.study;
  Parameters defaults;
  for (const Axis& axis : study.axes) {
    if (!axis.values.empty()) {
      defaults[axis.name] = axis.values.front();
    }
  }
  if (!study.zip.empty()) {
    defaults.insert(study.zip.front().begin(), study.zip.front().end());
  }
  if (const YamlNode* map = fields.map("defaults")) {
    for (auto& [name, value] : read_selection(*map, "search.defaults", context)) {
      defaults[name] = value;
    }
  }
  std::erase_if(defaults, [&](const auto& entry) {
    return std::ranges::find(study.search->over, entry.first) == study.search->over.end();
  });
  return defaults;
}

// What a search decides itself.
void refuse_others(Fields& root, Fields& fields, SectionContext& context) {
  const Study& study = context.study;
  root.refuse(
      {"trials"},
      "cannot be combined with search, which decides itself how many trials a setting gets; "
      "search.budget and search.max_trials bound them");
  root.refuse({"controls"}, "cannot be combined with search: only settings race");
  root.refuse({"sides"},
              "cannot be combined with search: search first, then run the best --against");
  if (const YamlNode* analysis = root.find("analysis");
      analysis != nullptr && analysis->find("baseline") != nullptr) {
    context.problems.refuse(
        *analysis->find("baseline"),
        "analysis.baseline cannot be combined with search, whose baseline is the "
        "default setting; say which with search.defaults");
  }
  if (!study.analysis.decide.empty()) {
    fields.problem("over",
                   "analysis.decide cannot be combined with search, which decides on search.over");
  }
  if (study.order.design == OrderDesign::kBatch) {
    fields.problem(
        "over",
        "order.design batch cannot be combined with search, which races over whole blocks; "
        "leave order.design out");
  }
}

// A search for the largest value that fits.
void read_largest(Fields& fields, SectionContext& context) {
  Study& study = context.study;
  LargestFit& largest = study.largest.emplace();
  fields.refuse({"over", "defaults", "objective", "budget", "max_trials"},
                "cannot be combined with search.largest, which searches one axis");
  largest.axis =
      fields.choice("largest", {names::kBatchPerDevice, names::kBatchGlobal}).value_or("");
  if (fields.require("up_to")) {
    largest.up_to = fields.integer("up_to", 1, kMostBatch).value_or(1);
  }
  largest.grid = fields.integer("grid", 1, kMostBatch).value_or(largest.grid);
  const auto axis = std::ranges::find(study.axes, largest.axis, &Axis::name);
  if (largest.axis.empty() || !context.is_workload_known) {
    return;
  }
  if (axis == study.axes.end()) {
    fields.problem(
        "largest",
        fmt::format("search.largest is {0}, which is not a list under axes; add where the "
                    "search begins, e.g. axes: {{{0}: [8]}}",
                    largest.axis));
    return;
  }
  const bool begins_above = std::ranges::any_of(axis->values, [&](const Value& value) {
    const auto* batch = std::get_if<std::int64_t>(&value);
    return batch != nullptr && *batch > largest.up_to;
  });
  if (begins_above && fields.has("up_to")) {
    fields.problem("up_to",
                   fmt::format("search.up_to is below a value of axes.{0}, where the search "
                               "begins; give a larger up_to, or smaller values of {0}",
                               largest.axis));
  }
  if (study.trials.until || study.trials.is_for_verdicts) {
    fields.problem("largest", "search.largest needs a number of trials, such as trials: 5");
  }
  Parameters& baseline = study.analysis.baseline;
  if (!baseline.empty() && !baseline.contains(largest.axis)) {
    fields.problem("largest",
                   fmt::format("search.largest compares values of {0} with each other; name {0} in "
                               "analysis.baseline, or leave the baseline out",
                               largest.axis));
  }
  if (baseline.empty() && !axis->values.empty()) {
    baseline[largest.axis] = axis->values.front();
  }
}

}  // namespace

std::vector<std::string> read_varied(Fields& fields,
                                     const std::string& key,
                                     SectionContext& context) {
  const std::set<std::string> varied = varied_names(context.study);
  const std::vector<std::string> names(varied.begin(), varied.end());
  std::vector<std::string> read;
  const YamlNode* list = fields.list(key);
  for (std::size_t i = 0; list != nullptr && i < list->items.size(); ++i) {
    const YamlNode& item = list->items[i];
    if (!is_word(item, fields.path(key), names, context.problems)) {
      continue;
    }
    if (std::ranges::find(read, item.text) != read.end()) {
      context.problems.refuse(item, fmt::format("{} has {} twice", fields.path(key), item.text));
      continue;
    }
    read.push_back(item.text);
  }
  return read;
}

void read_search(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("search");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "search", context.problems);
  if (!fields.is_map()) {
    return;
  }
  if (fields.has("largest")) {
    read_largest(fields, context);
    return;
  }
  fields.refuse({"up_to", "grid"}, "goes only with search.largest");
  constexpr std::int64_t most_trials = 1'000'000;
  Search& search = context.study.search.emplace();
  if (fields.require("over")) {
    read_over(fields, context);
  }
  std::vector<std::string> objectives{search.objective};
  for (const MetricRequest& request : context.study.analysis.metrics) {
    objectives.push_back(request.metric);
  }
  search.objective = fields.choice("objective", objectives).value_or(search.objective);
  if (const MetricRequest* request = find_request(context.study.analysis, search.objective);
      request != nullptr && request->margin > 0.0) {
    fields.problem("objective",
                   search.objective +
                       " has a margin of its own; a search goes by analysis.margin: give that one");
  }
  if (fields.require("budget")) {
    search.budget_s = fields.duration_s("budget").value_or(search.budget_s);
  }
  search.max_trials = fields.integer("max_trials", 1, most_trials);
  refuse_others(root, fields, context);
  context.study.analysis.baseline = read_defaults(fields, context);
  context.study.trials.count = kMostSearchBlocks;
}

void check_search(Fields& root, SectionContext& context, const Matrix& matrix) {
  const YamlNode& node = *root.find("search");
  const auto defaults = std::ranges::count_if(
      matrix.cells, [](const Cell& cell) { return cell.baseline == cell.hash; });
  std::string values;
  for (const auto& [name, value] : context.study.analysis.baseline) {
    values += (values.empty() ? "" : ", ") + name + ": " + format_value(value);
  }
  const YamlNode* declared = node.find("defaults");
  const YamlNode& place = declared == nullptr ? node : *declared;
  if (defaults > 1) {  // what include alone varies has no first value
    context.problems.refuse(place,
                            fmt::format("{} settings are the default {{{}}}, and a search has one; "
                                        "vary by axes what only include varies",
                                        defaults,
                                        values));
  } else if (defaults == 0) {
    context.problems.refuse(place,
                            fmt::format("the default setting {{{}}} is not a cell of the study, so "
                                        "there is nothing to be better than; name one that is "
                                        "under search.defaults",
                                        values));
  } else if (matrix.cells.size() < kFewestSettings) {
    context.problems.refuse(node,
                            fmt::format("a search needs {} settings, and this study has {}; to "
                                        "compare two, leave search out and give "
                                        "analysis.baseline",
                                        kFewestSettings,
                                        matrix.cells.size()));
  }
  const Study& study = context.study;
  const bool compares_devices = std::ranges::any_of(
      matrix.cells, [&](const Cell& cell) { return cell.devices != matrix.cells.front().devices; });
  if (compares_devices && !states_work(study) && goes_by_speed(study)) {
    context.problems.refuse(node, std::string("search goes by speedup. ") + kUnstatedWork);
  }
  const bool has_one_seed = std::ranges::none_of(matrix.cells, [](const Cell& cell) {
    return effective_value(cell.effective, "vary_seed") == Value(true);
  });
  if (study.workload == Workload::kTrain && is_learned(study.search->objective) && has_one_seed &&
      (study.steps.is_open || !study.steps.has_times())) {
    context.problems.refuse(node,
                            fmt::format("search.objective {} is one number in all trials of one "
                                        "seed, which no search can judge; add vary_seed: true to "
                                        "parameters",
                                        study.search->objective));
  }
}

}  // namespace scalestudy
