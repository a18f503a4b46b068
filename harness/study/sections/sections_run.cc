// steps, trials, controls, order, limits, validity.
#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <re2/re2.h>

#include "harness/study/parameters/parameter_rules.h"
#include "harness/study/sections/sections.h"
#include "harness/study/sections/study_keys.h"
#include "workloads/parameters/parameters.h"

namespace scalestudy {
namespace {

constexpr std::int64_t kMaxSteps = 1'000'000;

int as_int(std::int64_t value) {
  return static_cast<int>(value);
}

void read_measured(Fields& fields, SectionContext& context) {
  constexpr const char* rest = "rest";
  Steps& steps = context.study.steps;
  const YamlNode* node = fields.find("measured");
  if (node == nullptr || !node->is_scalar() || node->text != rest) {
    steps.measured = as_int(fields.integer("measured", 1, kMaxSteps).value_or(steps.measured));
    return;
  }
  if (context.study.workload == Workload::kCollective && context.is_workload_known &&
      fields.problem("measured",
                     "steps.measured: rest is what a command does after its warm-up, or train in "
                     "its epochs; collective does as many steps as the study says")) {
    return;
  }
  steps.is_open = true;
  steps.measured = 1;
}

}  // namespace

void read_steps(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("steps");
  Steps& steps = context.study.steps;
  if (node == nullptr) {
    if (times_whole_commands(context.study.extract)) {
      steps = {.warmup = 0, .measured = 1};
    }
    return;
  }
  Fields fields = section_fields(*node, "steps", context.problems);
  steps.warmup = as_int(fields.integer("warmup", 0, kMaxSteps).value_or(steps.warmup));
  read_measured(fields, context);
  steps.warmup_time_s = fields.duration_s("warmup_time").value_or(0.0);
  steps.measured_time_s = fields.duration_s("measured_time").value_or(0.0);
  for (const auto& [key, seconds] : {std::pair("warmup_time", steps.warmup_time_s),
                                     std::pair("measured_time", steps.measured_time_s)}) {
    const auto* info = protocol::find_parameter("train", std::string(key) + "_s");
    if (const auto wrong = protocol::check_parameter(*info, fmt::format("{}", seconds));
        !wrong.empty()) {
      fields.problem(key, fmt::format("{}: {}", fields.path(key), wrong));
    }
    if (context.study.workload == Workload::kCommand && node->find(key) != nullptr) {
      fields.problem(
          key,
          fmt::format("{}: a command decides itself how long it runs; floors in time are "
                      "for the workloads train and collective",
                      fields.path(key)));
    }
  }
}

void read_trials(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("trials");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "trials", context.problems);
  Trials& trials = context.study.trials;
  if (!fields.is_map()) {
    return;
  }
  if (fields.has("count")) {
    fields.refuse({"min", "max", "until", "for"},
                  "cannot be combined with trials.count; keep one way of the two");
    trials.count = as_int(fields.integer("count", 1, kMostTrialsOfCell).value_or(trials.count));
    return;
  }
  if (!fields.has("min") && !fields.has("max") && !fields.has("until") && !fields.has("for")) {
    context.problems.add(*node, "trials needs count, or min and max with until or for");
    return;
  }
  trials.is_for_verdicts = fields.has("for");
  if (trials.is_for_verdicts) {
    fields.refuse({"until"}, "cannot be combined with trials.for; keep one rule of the two");
    is_word(*fields.find("for"), "trials.for", {"verdicts"}, context.problems);
  }
  if (!fields.require("min") || !fields.require("max") ||
      (!trials.is_for_verdicts && !fields.require("until"))) {
    return;
  }
  trials.min = as_int(fields.integer("min", 2, kMostTrialsOfCell).value_or(2));
  trials.count = as_int(fields.integer("max", 2, kMostTrialsOfCell).value_or(kMostTrialsOfCell));
  if (trials.min > trials.count) {
    fields.problem("min",
                   fmt::format("trials.min {} is above trials.max {}", trials.min, trials.count));
  }
  trials.until = fields.percent("until");
  if (trials.until && !(*trials.until > 0.0 && *trials.until < 1.0)) {
    fields.problem("until", "trials.until must lie between 0% and 100%");
  }
}

void read_controls(Fields& root, SectionContext& context) {
  const YamlNode* list = root.list("controls");
  if (list == nullptr) {
    return;
  }
  std::vector<std::string> allowed = words_of<CellRole>();
  allowed.erase(allowed.begin());  // measured is no control
  for (const YamlNode& item : list->items) {
    if (!is_word(item, "a control", allowed, context.problems)) {
      continue;
    }
    const CellRole control = *from_word<CellRole>(item.text);
    auto& controls = context.study.controls;
    if (std::find(controls.begin(), controls.end(), control) != controls.end()) {
      context.problems.refuse(item, fmt::format("control {} is given twice", item.text));
      continue;
    }
    if (control != CellRole::kAa && context.is_workload_known &&
        context.study.workload != Workload::kTrain &&
        context.problems.refuse(
            item,
            fmt::format("control {} needs workload: train; {}",
                        item.text,
                        control == CellRole::kDeviceMatch
                            ? "which device a command runs on is its own to say: make it an axis "
                              "that the command reads"
                            : "the communication of another program cannot be switched off from "
                              "outside; if it has an option for that, make it an axis"))) {
      continue;
    }
    controls.push_back(control);
  }
}

void read_order(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("order");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "order", context.problems);
  if (fields.choice("design", {"blocks", "batch"}) == "batch") {
    context.study.order.design = OrderDesign::kBatch;
    if (context.study.trials.until || context.study.trials.is_for_verdicts) {
      fields.problem("design",
                     "order.design batch cannot be combined with trials.until or trials.for: these "
                     "rules end after "
                     "whole blocks, which only design blocks has; use it, or trials.count");
    }
  }
  if (const auto seed = fields.integer("seed", 0, std::numeric_limits<std::int64_t>::max())) {
    context.study.order.seed = static_cast<std::uint64_t>(*seed);
  }
}

void read_limits(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("limits");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "limits", context.problems);
  Limits& limits = context.study.limits;
  constexpr std::int64_t max_retries = 10;
  limits.timeout_s = fields.duration_s("timeout");
  limits.silence_s = fields.duration_s("silence").value_or(limits.silence_s);
  limits.retries = as_int(fields.integer("retries", 0, max_retries).value_or(limits.retries));
  limits.max_time_s = fields.duration_s("max_time");
  limits.after_oom = fields.word<AfterOom>("after_oom").value_or(limits.after_oom);
}

void read_validity(Fields& root, SectionContext& context) {
  const YamlNode* node = root.find("validity");
  if (node == nullptr) {
    return;
  }
  Fields fields = section_fields(*node, "validity", context.problems);
  Validity& validity = context.study.validity;
  constexpr std::int64_t max_requeues = 10;
  validity.policy = fields.word<DisturbancePolicy>("policy").value_or(validity.policy);
  validity.requeues =
      as_int(fields.integer("requeues", 0, max_requeues).value_or(validity.requeues));
  for (const auto& [key, share] : {std::pair("foreign_load", &Validity::foreign_load),
                                   std::pair("throttled", &Validity::throttled),
                                   std::pair("gpu_utilization", &Validity::gpu_utilization),
                                   std::pair("gpu_memory", &Validity::gpu_memory)}) {
    const std::optional<double> value = fields.percent(key);
    if (value && !(*value >= 0.0 && *value <= 1.0)) {
      fields.problem(key, fmt::format("{} must lie within 0% and 100%", fields.path(key)));
    }
    validity.*share = value.value_or(validity.*share);
  }
  validity.idle_wait_s = fields.duration_s("idle_wait");
  validity.calibration = fields.word<Calibration>("calibration").value_or(validity.calibration);
  validity.confirm = fields.word<Confirm>("confirm").value_or(validity.confirm);
}

}  // namespace scalestudy
