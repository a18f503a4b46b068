#include "workloads/parameters/combinations.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "workloads/names/names.h"
#include "workloads/names/operations.h"
#include "workloads/parameters/given_values.h"
#include "workloads/parameters/model_shapes.h"
#include "workloads/parameters/rank_pair.h"
#include "workloads/parameters/saving_combinations.h"
#include "workloads/parameters/strategies.h"
#include "workloads/parameters/tables.h"

namespace scalestudy::protocol {
namespace {

// What makes NCCL sum in one order (workloads/train/device/backend.cc sets it).
constexpr auto kDeterministicNccl = std::to_array<std::pair<std::string_view, std::string_view>>(
    {{"env.NCCL_ALGO", "Ring"}, {"env.NCCL_PROTO", "Simple"}, {"env.NCCL_NVLS_ENABLE", "0"}});

// "precision tf32 cannot be combined with backend cpu: TF32 is a mode of GPUs; use fp32".
std::string check_refusals(std::span<const ParameterInfo> parameters, const GivenValues& given) {
  for (const ParameterInfo& parameter : parameters) {
    for (const Refusal& refusal : parameter.refusals) {
      if (given[parameter.name] == refusal.value && given[refusal.other] == refusal.other_value) {
        return std::string(parameter.name) + " " + std::string(refusal.value) +
               " cannot be combined with " + std::string(refusal.other) + " " +
               std::string(refusal.other_value) + ": " + std::string(refusal.reason);
      }
    }
  }
  return "";
}

// A deterministic run fixes the workspace of cuBLAS and how NCCL sums; a study cannot ask for
// another way beside it.
std::string check_deterministic(const GivenValues& given) {
  if (given["deterministic"] != "true" || given[names::kBackend] != "cuda") {
    return "";
  }
  const std::string_view workspace = given["env.CUBLAS_WORKSPACE_CONFIG"];
  if (!workspace.empty() && workspace != "default" && workspace != ":4096:2" &&
      workspace != ":16:8") {
    return "env.CUBLAS_WORKSPACE_CONFIG is " + std::string(workspace) +
           ", but deterministic needs :4096:2 or :16:8; leave one of the two out";
  }
  if (given[names::kComm] != "nccl") {
    return "";
  }
  for (const auto& [name, needed] : kDeterministicNccl) {
    const std::string_view text = given[name];
    if (!text.empty() && text != "default" && text != needed) {
      return std::string(name) + " is " + std::string(text) + ", but deterministic needs " +
             std::string(needed) + "; leave one of the two out";
    }
  }
  return "";
}

// Where the operation splits its message, every rank needs an element of it.
std::string check_message(const GivenValues& given) {
  constexpr std::int64_t element_bytes = 4;  // float32
  const names::OperationInfo* operation = names::find_operation(given[names::kOperation]);
  const bool is_split = operation != nullptr && operation->is_split();
  const std::int64_t least_bytes = element_bytes * given.integer(names::kDevices);
  if (!is_split || given.integer(names::kMessageBytes) >= least_bytes) {
    return "";
  }
  return "message_bytes is " + std::string(given[names::kMessageBytes]) + ", too few for " +
         std::string(operation->name) + " over " + std::string(given[names::kDevices]) +
         " devices; give at least " + std::to_string(least_bytes);
}

// A record holds the values of every step: of `train` at most 15 over ranks and 10 of each rank, of
// `collective`, or with timing light, 3 and 1. What does not fit would be told after the last step.
std::string check_record(const GivenValues& given, bool has_phases, std::int64_t steps) {
  constexpr double most_values = 20e6;  // as protocol::ReadLimits
  const auto ranks = static_cast<double>(std::max<std::int64_t>(1, given.integer(names::kDevices)));
  const double values = has_phases ? 15.0 + 10.0 * ranks : 3.0 + ranks;
  const auto most_steps = static_cast<std::int64_t>(most_values / values);
  return steps <= most_steps
             ? std::string()
             : std::to_string(steps) + " steps are more than the record of a trial has room for, " +
                   std::to_string(most_steps) + " of so many devices; give fewer" +
                   (has_phases ? ", or timing light" : "");
}

std::string check_collective(const GivenValues& given) {
  if (std::string wrong = check_refusals(collective_parameters(), given); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = check_record(
          given, false, given.integer(names::kWarmupSteps) + given.integer(names::kMeasuredSteps));
      !wrong.empty()) {
    return wrong;
  }
  if (given[names::kOperation] != "ping_pong") {
    return given[names::kPair].empty() || given[names::kPair] == "0-1"
               ? check_message(given)
               : "pair is of operation ping_pong, and operation is " +
                     std::string(given[names::kOperation]) + "; leave one of the two out";
  }
  return given[names::kDevices].empty()
             ? ""
             : check_pair(given[names::kPair], given.integer(names::kDevices));
}

// A file that the trial writes holds a step at least; of one that is given the trial looks itself.
std::string check_input(const GivenValues& given) {
  const std::int64_t batch =
      std::max(given.integer(names::kBatchGlobal),
               given.integer(names::kBatchPerDevice) * given.integer(names::kDevices));
  if (given["data"] != "file" || !given["data_path"].empty() ||
      given.integer("data_samples") >= batch) {
    return "";
  }
  return "data_samples is " + std::string(given["data_samples"]) + ", fewer than a step's " +
         std::to_string(batch) + "; give at least as many";
}

// What is summed otherwise than by one all-reduce of all gradients.
std::string check_communication(const GivenValues& given) {
  const std::string_view strategy = given[names::kStrategy];
  const std::string of_strategy =
      " cannot be combined with strategy " + std::string(strategy) + ": ";
  if (given["allreduce"] == "hierarchical" && !find_strategy(strategy).sums_gradients) {
    return "allreduce hierarchical" + of_strategy + "it makes no all-reduce of gradients; use ddp";
  }
  const std::int64_t node_ranks = given.integer(names::kVirtualNodeRanks);
  const std::int64_t devices = given.integer(names::kDevices);
  if (node_ranks > 0 && devices % node_ranks != 0) {
    return "virtual_node_ranks is " + std::to_string(node_ranks) + ", which does not divide " +
           std::to_string(devices) + " devices; give a divisor of it";
  }
  if (given.real("topk") > 0.0) {
    if (!find_strategy(strategy).sums_gradients) {
      return "topk" + of_strategy + "each rank adds up what all have sent; use ddp";
    }
    if (given[names::kPrecision] == "fp16") {
      return "topk cannot be combined with precision fp16: what stays behind has its step's scale "
             "of "
             "losses; use bf16";
    }
    if (is_rounded(given)) {
      return "topk cannot be combined with comm_dtype: what travels is not rounded; leave one out";
    }
    if (given["allreduce"] == "hierarchical") {
      return "topk cannot be combined with allreduce hierarchical: ranks gather; use flat";
    }
  }
  return "";
}

// A rank that is slower than the others.
std::string check_straggler(const GivenValues& given) {
  const bool sleeps = given.real("straggler_ms") > 0.0;
  const bool is_slower = given.real("straggler_factor") > 1.0;
  if (is_slower && given["compute"] != "declared") {
    return "straggler_factor is " + std::string(given["straggler_factor"]) +
           ", but compute real takes what it takes; use compute declared, or straggler_ms";
  }
  if ((sleeps || is_slower) && given.integer("straggler_rank") >= given.integer(names::kDevices)) {
    return "straggler_rank is " + std::string(given["straggler_rank"]) + ", but there are " +
           std::string(given[names::kDevices]) + " devices; give less";
  }
  return "";
}

// Training and held-out samples are whole batches, and so are epochs.
std::string check_epochs(const GivenValues& given) {
  constexpr std::int64_t most_steps = 1'000'000;  // as for measured_steps
  std::int64_t batch = 0;
  if (__builtin_mul_overflow(
          given.integer(names::kBatchPerDevice), given.integer(names::kDevices), &batch)) {
    batch = std::numeric_limits<std::int64_t>::max();
  }
  if (batch == 0) {
    return "";
  }
  for (const std::string_view name : {"train_samples", names::kHeldOutSamples}) {
    const std::int64_t samples = given.integer(name);
    if (samples % batch != 0) {
      return std::string(name) + " is " + std::to_string(samples) +
             ", no multiple of the global batch of " + std::to_string(batch) + "; give " +
             std::to_string((samples / batch + 1) * batch);
    }
  }
  const std::int64_t epochs = given.integer(names::kEpochs);
  const std::int64_t steps = epochs * (given.integer("train_samples") / batch);
  const std::int64_t warmup = given.integer(names::kWarmupSteps);
  if (epochs > 0 && (steps <= warmup || steps - warmup > most_steps)) {
    return "epochs is " + std::to_string(epochs) + ", which is " + std::to_string(steps) +
           " steps of batch " + std::to_string(batch) + ", " + std::to_string(warmup) +
           " of them warm-up; between 1 and 1000000 must be left to measure";
  }
  return "";
}

// What is learned, and what is asked about it.
std::string check_learning(const GivenValues& given) {
  if (given["data"] == "file" &&
      (given.integer("train_samples") > 0 || given.real("label_noise") > 0.0)) {
    return "train_samples and label_noise cannot be combined with data file: it has its own "
           "samples and "
           "labels; use data synthetic";
  }
  if (given.integer("train_samples") == 0) {
    for (const std::string_view name : {names::kEpochs, names::kHeldOutSamples, "lr_milestones"}) {
      if (!given[name].empty() && given[name] != "0") {
        return std::string(name) + " is " + std::string(given[name]) +
               (given["data"] == "file"
                    ? ", which goes by train_samples, and data file has none; use data synthetic"
                    : ", but training data are a few batches used in turn; give train_samples");
      }
    }
  }
  if (given["evaluate"] == "epochs" && given.integer(names::kHeldOutSamples) == 0) {
    return "evaluate is epochs, but there is nothing to evaluate on; give held_out_samples";
  }
  if (given.integer(names::kHeldOutSamples) > 0 && given["loss"] == "mse") {
    return "held_out_samples cannot be combined with loss mse: it has no right answers to count; "
           "use cross_entropy";
  }
  if (given.real("label_noise") > 0.0 && given["loss"] == "mse") {
    return "label_noise cannot be combined with loss mse: it has no labels; use cross_entropy";
  }
  if (given.real("label_noise") > 0.0 && has_tokens(given[names::kModel])) {
    return "label_noise cannot be combined with model " + std::string(given[names::kModel]) +
           ": the next token is random already, and the best accuracy 1/2; leave it out";
  }
  if (given.integer(names::kEpochs) > 0 &&
      (given.real(names::kWarmupTime) > 0.0 || given.real(names::kMeasuredTime) > 0.0)) {
    return "epochs is " + std::string(given[names::kEpochs]) +
           ", a fixed number of steps, but steps have floors in time; leave out warmup_time and "
           "measured_time";
  }
  return check_epochs(given);
}

// What is declared goes with compute declared, and needs a time.
std::string check_declared(const GivenValues& given) {
  const bool is_declared = given["compute"] == "declared";
  if (is_declared && given.real("declared_sample_ms") + given.real("declared_step_ms") <= 0.0) {
    return "compute declared takes no time; give declared_sample_ms or declared_step_ms";
  }
  if (is_declared && given.integer("checkpoint_every") > 0) {
    return "checkpoint_every cannot be combined with compute declared: no layer computes anything "
           "again; "
           "leave one of the two out";
  }
  if (is_declared && given.integer("train_samples") > 0) {
    return "train_samples cannot be combined with compute declared: nothing is learned; leave one "
           "of the "
           "two out";
  }
  for (const std::string_view name :
       {"declared_sample_ms", "declared_step_ms", "declared_hop_ms", "declared_gb_per_s"}) {
    if (!is_declared && given.real(name) > 0.0) {
      return std::string(name) + " is " + std::string(given[name]) +
             ", but compute real takes what it takes; use compute declared";
    }
  }
  return "";
}

std::string check_train(const GivenValues& given,
                        const std::map<std::string, std::string>& values) {
  if (std::string wrong = check_refusals(train_parameters(), given); !wrong.empty()) {
    return wrong;
  }
  const std::string_view model = given[names::kModel];
  if (given["loss"] == "mse" && has_tokens(model)) {
    return "loss mse cannot be combined with model " + std::string(model) +
           ": it predicts tokens; use cross_entropy";
  }
  const std::int64_t every = given.integer("checkpoint_every");
  if (every > 0 && !has_tokens(model)) {
    return "checkpoint_every cannot be combined with model " + std::string(model) +
           ": its layers differ and cannot take turns in the same memory; use a transformer";
  }
  if (std::string wrong = check_model_shape(model, values); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = check_deterministic(given); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = check_input(given); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = check_communication(given); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = check_straggler(given); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = check_shares(given); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = check_declared(given); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = check_strategy(given, values); !wrong.empty()) {
    return wrong;
  }
  const bool has_all =
      find_strategy(given[names::kStrategy]).has_stages;  // each device, of the batch
  const std::int64_t batch =
      given.integer(names::kBatchPerDevice) * (has_all ? given.integer(names::kDevices) : 1);
  const std::int64_t parts = std::max<std::int64_t>(1, given.integer(names::kAccumulationSteps));
  if (!given[names::kBatchPerDevice].empty() && batch % parts != 0) {
    return "accumulation_steps is " + std::to_string(parts) + ", which does not divide " +
           std::to_string(batch) + ", the " +
           (has_all ? "global batch of a pipeline" : "batch of each device") +
           "; give a divisor of it";
  }
  const std::int64_t ghosts = given.integer("model.ghost_batches");
  if (!given[names::kBatchPerDevice].empty() && ghosts > 0 && batch / parts % ghosts != 0) {
    return "model.ghost_batches is " + std::to_string(ghosts) + ", which does not divide " +
           std::to_string(batch / parts) + ", the batch of each pass; give a divisor of it";
  }
  if (std::string wrong = check_saving(given); !wrong.empty()) {
    return wrong;
  }
  if (std::string wrong = check_learning(given); !wrong.empty()) {
    return wrong;
  }
  return check_record(given, given["timing"] == "full", step_count(given));
}

}  // namespace

std::string check_combination(std::string_view workload,
                              const std::map<std::string, std::string>& values) {
  const GivenValues given(values);
  if (workload == "train") {
    return check_train(given, values);
  }
  return workload == "collective" ? check_collective(given) : "";
}

std::string unread_reason(std::string_view workload,
                          std::string_view parameter,
                          const std::map<std::string, std::string>& values) {
  const ParameterInfo* info = find_parameter(workload, parameter);
  if (info == nullptr) {
    return "";
  }
  const GivenValues given(values);
  std::string reason;
  std::string_view named;
  for (const Reader& reader : info->readers) {
    const bool is_any_other = reader.value.starts_with('!');
    const std::string value(reader.value.substr(is_any_other ? 1 : 0));
    if ((given[reader.other] == value) != is_any_other) {
      return "";
    }
    const std::string joint = is_any_other ? " and " : " or ";
    const std::string first = is_any_other ? "with " : "without ";
    const std::string name = reader.other == named ? "" : std::string(reader.other) + ": ";
    reason += (reason.empty() ? first : joint) + name + value;
    named = reader.other;
  }
  return reason;
}

}  // namespace scalestudy::protocol
