#include "workloads/parameters/strategies.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "workloads/names/names.h"
#include "workloads/parameters/model_shapes.h"
#include "workloads/parameters/shares.h"
#include "workloads/parameters/strategy_table.h"

namespace scalestudy::protocol {
namespace {

// "overlap poll cannot be combined with strategy local_sgd: "
std::string conflict(const GivenValues& given, std::string_view name) {
  return std::string(name) + " " + std::string(given[name]) + " cannot be combined with strategy " +
         std::string(given[names::kStrategy]) + ": ";
}

bool is_refused(const GivenValues& given, const StrategyRefusal& refusal) {
  const std::string_view value = refusal.value;
  if (value == "rounded") {
    return is_rounded(given);
  }
  if (value.starts_with('>')) {
    return given.real(refusal.parameter) > static_cast<double>(value[1] - '0');
  }
  return value.starts_with('!') ? given[refusal.parameter] != value.substr(1)
                                : given[refusal.parameter] == value;
}

// Of shares by weight.
std::string check_weights(const GivenValues& given, const std::vector<std::int64_t>& weights) {
  const std::int64_t devices = given.integer(names::kDevices);
  if (std::ssize(weights) != devices) {
    return std::to_string(weights.size()) + " weights for " + std::to_string(devices) +
           " devices; give one for each";
  }
  const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  const std::int64_t batch =
      std::max(given.integer(names::kBatchGlobal), given.integer(names::kBatchPerDevice) * devices);
  return batch % sum == 0
             ? std::string()
             : "but a batch of " + std::to_string(batch) +
                   " has no such whole shares; give a multiple of " + std::to_string(sum);
}

}  // namespace

// Phases, and epochs before which ranks are asked what they predict, end with an average.
std::string check_turns(const GivenValues& given,
                        const std::map<std::string, std::string>& /*values*/) {
  const auto at_least_one = [&](const char* name) {
    return std::max<std::int64_t>(1, given.integer(name));
  };
  const std::int64_t every = at_least_one("sync_every");
  const auto check = [&](const std::string& what, std::int64_t steps) {
    return steps % every == 0
               ? std::string()
               : what + " is " + std::to_string(steps) + ", no multiple of sync_every " +
                     std::to_string(every) +
                     ": the time of a step is that of whole turns of local_sgd; give " +
                     std::to_string((steps / every + 1) * every);
  };
  if (std::string wrong = check(names::kWarmupSteps, given.integer(names::kWarmupSteps));
      !wrong.empty()) {
    return wrong;
  }
  if (given.integer(names::kEpochs) == 0) {
    return check(names::kMeasuredSteps, given.integer(names::kMeasuredSteps));
  }
  const std::int64_t steps = given.integer("train_samples") / at_least_one(names::kBatchPerDevice) /
                             at_least_one(names::kDevices);
  const bool is_evaluated = given["evaluate"] == names::kEpochs;
  const std::int64_t whole = is_evaluated ? steps : steps * given.integer(names::kEpochs);
  return whole % every == 0
             ? std::string()
             : std::string(is_evaluated ? "an epoch" : names::kEpochs) + " of " +
                   std::to_string(whole) + " steps are no multiple of sync_every " +
                   std::to_string(every) +
                   ": they would end between two averages; give another train_samples or "
                   "sync_every";
}

std::string check_stages(const GivenValues& given,
                         const std::map<std::string, std::string>& values) {
  const std::int64_t stages = given.integer(names::kDevices);
  if (given.integer(names::kHeldOutSamples) > 0 && given[names::kModel].starts_with("resnet") &&
      given.integer(names::kAccumulationSteps) > 1 && stages > 1) {
    return conflict(given, names::kHeldOutSamples) + "a stage of model " +
           std::string(given[names::kModel]) +
           " has running statistics for each micro-batch in flight; use accumulation_steps 1, or "
           "ddp";
  }
  if (const std::int64_t layers = layer_count(given[names::kModel], values); stages > layers) {
    return "devices is " + std::to_string(stages) + ", but " + std::string(given[names::kModel]) +
           " has " + std::to_string(layers) +
           " layers or blocks for stages of strategy pipeline; give fewer, or more model.layers "
           "where the model has them";
  }
  return "";
}

std::span<const StrategyInfo> strategies() {
  return kStrategies;
}

const StrategyInfo& find_strategy(std::string_view name) {
  const auto* found = std::ranges::find(kStrategies, name, &StrategyInfo::name);
  return found == kStrategies.end() ? kStrategies.front() : *found;
}

std::string check_strategy(const GivenValues& given,
                           const std::map<std::string, std::string>& values) {
  const StrategyInfo& strategy = find_strategy(given[names::kStrategy]);
  for (const StrategyRefusal& refusal : strategy.refusals) {
    if (is_refused(given, refusal)) {
      return conflict(given, refusal.parameter) + std::string(refusal.reason);
    }
  }
  if (given["offload"] == "optimizer") {
    const std::string what = "offload optimizer cannot be combined with ";
    if (given[names::kPrecision] == "fp16") {
      return what + "precision fp16: the scale of losses is in the GPU's memory; use bf16";
    }
    if (!strategy.no_offload.empty()) {
      return what + "strategy " + std::string(strategy.name) + ": " +
             std::string(strategy.no_offload);
    }
  }
  return strategy.check == nullptr ? "" : strategy.check(given, values);
}

std::string check_shares(const GivenValues& given) {
  const std::string what = "shares is \"" + std::string(given["shares"]) + "\", ";
  const auto weights = read_shares(given["shares"]);
  if (!weights) {
    return what + "allowed: equal, proportional, or a weight of each device, as 1:2";
  }
  if (given["shares"] == "equal") {
    return "";
  }
  if (std::string wrong = weights->empty() ? "" : check_weights(given, *weights); !wrong.empty()) {
    return what + wrong;
  }
  if (const auto reason = find_strategy(given[names::kStrategy]).no_shares; !reason.empty()) {
    return what + "but " + std::string(reason);
  }
  if (given["data"] == "file") {
    return what + "but files are read in equal shares; use data: synthetic";
  }
  for (const auto& [name, least] : {std::pair(names::kAccumulationSteps, 1),
                                    std::pair(names::kHeldOutSamples, 0),
                                    std::pair("model.ghost_batches", 0)}) {
    if (given.integer(name) > least) {
      return what + "but " + name + " splits equal shares alone; leave one of the two out";
    }
  }
  return "";
}

}  // namespace scalestudy::protocol
