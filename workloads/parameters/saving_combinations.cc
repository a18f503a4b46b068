#include "workloads/parameters/saving_combinations.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "workloads/names/names.h"
#include "workloads/parameters/strategies.h"

namespace scalestudy::protocol {
namespace {

// What state is not saved, or what saving cannot be done with, and why.
struct SavingRefusal {
  std::string_view name;
  std::string_view value;
  std::string_view reason;
};

constexpr auto kSavingRefusals = std::to_array<SavingRefusal>({
    {"compute", "declared", "ranks that sleep have no state; use compute real"},
    {"evaluate", "epochs", "what was evaluated before is not saved; use evaluate end"},
});

bool is_of_saves(std::string_view failure) {
  return failure == "enospc" || failure == "eio";
}

std::string check_failure(const GivenValues& given) {
  const std::string_view failure = given["failure"];
  const std::int64_t step = given.integer("failure_step");
  const std::int64_t every = given.integer(names::kSaveEvery);
  const std::string of_failure = ", but failure is " + std::string(failure);
  if (failure == "none") {
    return "";
  }
  if (step == 0) {
    return "failure_step is 0" + of_failure + "; give the steps that are done by then";
  }
  if (const std::int64_t steps = step_count(given); step >= steps) {
    return "failure_step is " + std::to_string(step) + ", but the run has " +
           std::to_string(steps) + " steps; give less";
  }
  if (every == 0 && (is_of_saves(failure) || failure == "sigterm")) {
    return "failure " + std::string(failure) + " is one of saving; give save_every";
  }
  if (is_of_saves(failure) && step % every != 0) {
    return "failure_step is " + std::to_string(step) + ", behind which nothing is saved" +
           of_failure + "; give a multiple of " + std::to_string(every);
  }
  if (given.integer("failure_rank") >= given.integer(names::kDevices)) {
    return "failure_rank is " + std::string(given["failure_rank"]) + ", but there are " +
           std::string(given[names::kDevices]) + " devices; give less";
  }
  return "";
}

}  // namespace

std::int64_t step_count(const GivenValues& given) {
  const std::int64_t batch =
      std::max(given.integer(names::kBatchGlobal),
               given.integer(names::kBatchPerDevice) * given.integer(names::kDevices));
  return given.integer(names::kEpochs) > 0 && batch > 0
             ? given.integer(names::kEpochs) * (given.integer("train_samples") / batch)
             : given.integer(names::kWarmupSteps) + given.integer(names::kMeasuredSteps);
}

std::string check_saving(const GivenValues& given) {
  const std::int64_t every = given.integer(names::kSaveEvery);
  const bool is_asked = every > 0 || given["failure"] != "none";
  const std::string_view asked = every > 0 ? names::kSaveEvery : "failure";
  if (!is_asked) {
    return check_failure(given);
  }
  const auto* refusal =
      std::find_if(kSavingRefusals.begin(), kSavingRefusals.end(), [&](const SavingRefusal& each) {
        return given[each.name] == each.value;
      });
  if (refusal != kSavingRefusals.end()) {
    return std::string(asked) + " cannot be combined with " + std::string(refusal->name) + " " +
           std::string(refusal->value) + ": " + std::string(refusal->reason);
  }
  const StrategyInfo& strategy = find_strategy(given[names::kStrategy]);
  if (!strategy.no_saving.empty()) {
    return std::string(asked) + " cannot be combined with strategy " + std::string(strategy.name) +
           ": " + std::string(strategy.no_saving);
  }
  if (given.integer(names::kNodes) > 1) {
    return std::string(asked) +
           " cannot be combined with several nodes: one folder and one clock are taken; use nodes "
           "1";
  }
  if (given.real("topk") > 0.0) {
    return std::string(asked) +
           " cannot be combined with topk: what each rank has kept back is not saved; leave topk "
           "out";
  }
  if (given[names::kModel].starts_with("resnet") && given.integer(names::kHeldOutSamples) > 0) {
    return std::string(asked) + " cannot be combined with held_out_samples and model " +
           std::string(given[names::kModel]) +
           ": running statistics are not saved; leave held_out_samples out";
  }
  if (given.real(names::kWarmupTime) > 0.0 || given.real(names::kMeasuredTime) > 0.0) {
    return std::string(asked) +
           " needs a fixed number of steps, but steps have floors in time; leave out warmup_time "
           "and measured_time";
  }
  if (const std::int64_t steps = step_count(given); every > steps) {
    return "save_every is " + std::to_string(every) + ", but the run has " + std::to_string(steps) +
           " steps: nothing would be saved; give less";
  }
  return check_failure(given);
}

}  // namespace scalestudy::protocol
