#include "workloads/parameters/strategy_combinations.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>
#include <vector>

#include "workloads/names/names.h"
#include "workloads/parameters/model_shapes.h"
#include "workloads/parameters/shares.h"

namespace scalestudy::protocol {
namespace {

// "overlap poll does not go with strategy local_sgd: "
std::string conflict(const GivenValues& given, const std::string& name) {
  return name + " " + std::string(given[name]) + " does not go with strategy " +
         std::string(given[names::kStrategy]) + ": ";
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

// Phases, and epochs before which ranks are asked what they predict, end with an average.
std::string check_turns(const GivenValues& given) {
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
  const bool is_evaluated = given["evaluate"] == "epochs";
  const std::int64_t whole = is_evaluated ? steps : steps * given.integer(names::kEpochs);
  return whole % every == 0
             ? std::string()
             : std::string(is_evaluated ? "an epoch" : names::kEpochs) + " of " +
                   std::to_string(whole) + " steps are no multiple of sync_every " +
                   std::to_string(every) +
                   ": they would end between two averages; give another train_samples or "
                   "sync_every";
}

std::string check_local_sgd(const GivenValues& given) {
  if (given[names::kStrategy] != "local_sgd") {
    return "";
  }
  if (given[names::kOverlap] != "none") {
    return conflict(given, names::kOverlap) + "parameters travel behind the update; use none";
  }
  if (given[names::kPrecision] == "fp16") {
    return conflict(given, names::kPrecision) + "ranks would scale losses apart; use bf16";
  }
  if (is_rounded(given)) {
    return conflict(given, names::kCommDtype) + "no gradients travel; leave it out";
  }
  if (given.real("clip_norm") > 0.0) {
    return conflict(given, "clip_norm") +
           "no rank knows the sum of all gradients; leave it out, or use ddp";
  }
  return check_turns(given);
}

std::string check_power_sgd(const GivenValues& given) {
  if (given[names::kStrategy] != "powersgd") {
    return "";
  }
  if (given[names::kOverlap] != "none") {
    return conflict(given, names::kOverlap) +
           "what it sums second follows from the first; use none";
  }
  if (given[names::kPrecision] == "bf16" || given[names::kPrecision] == "fp16") {
    return conflict(given, names::kPrecision) +
           "16 bits are too few for orthonormal columns; use fp32";
  }
  if (is_rounded(given)) {
    return conflict(given, names::kCommDtype) + "what travels is not rounded; leave it out";
  }
  if (given["compute"] == "declared") {
    return conflict(given, "compute") + "its products compute; use ddp";
  }
  return "";
}

std::string check_offload(const GivenValues& given) {
  if (given["offload"] != "optimizer") {
    return "";
  }
  const std::string what = "offload optimizer does not go with ";
  if (given[names::kPrecision] == "fp16") {
    return what + "precision fp16: the scale of losses is in the GPU's memory; use bf16";
  }
  if (given[names::kStrategy] == "local_sgd") {
    return what + "strategy local_sgd: what it averages is in the GPU's memory; use ddp";
  }
  return "";
}

std::string check_pipeline(const GivenValues& given,
                           const std::map<std::string, std::string>& values) {
  if (given[names::kStrategy] != "pipeline") {
    return "";
  }
  struct PipelineRefusal {
    const char* name;
    std::string_view value;
    const char* reason;
  };
  static constexpr auto kPipelineRefusals = std::to_array<PipelineRefusal>({
      {"precision", "fp16", "stages would scale losses apart; use bf16"},
      {"comm", "noop", "a stage computes with what the one before it sends; use mpi or nccl"},
      {"payload", "element", "a stage computes with what the one before it sends; use buckets"},
      {"loss", "mse", "its targets need a whole network; use cross_entropy"},
      {"lr_scale", "linear", "all stages train on one batch; use none"},
      {"lr_scale", "sqrt", "all stages train on one batch; use none"},
  });
  for (const PipelineRefusal& refusal : kPipelineRefusals) {
    if (given[refusal.name] == refusal.value) {
      return conflict(given, refusal.name) + refusal.reason;
    }
  }
  if (given[names::kOverlap] != "none") {
    return conflict(given, names::kOverlap) + "no gradients of parameters travel; use none";
  }
  if (is_rounded(given)) {
    return conflict(given, names::kCommDtype) + "activations travel as they are; leave it out";
  }
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

}  // namespace

std::string check_strategy(const GivenValues& given,
                           const std::map<std::string, std::string>& values) {
  for (const auto& check : {check_local_sgd, check_power_sgd, check_offload}) {
    if (std::string wrong = check(given); !wrong.empty()) {
      return wrong;
    }
  }
  return check_pipeline(given, values);
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
  if (given[names::kStrategy] == "local_sgd") {
    return what + "but local_sgd averages ranks alike; use ddp";
  }
  if (given[names::kStrategy] == "pipeline") {
    return what + "but each stage computes with all of the batch; leave it out";
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
