#include "workloads/protocol/parameters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "workloads/protocol/collective_parameters.h"

namespace scalestudy::protocol {
namespace {

using enum ParameterKind;

constexpr auto kTrainParameters = std::to_array<ParameterInfo>({
    {.name = "devices",
     .kind = kInteger,
     .default_value = "1",
     .allowed = "[1, 65536]",
     .unit = "ranks",
     .help = "Number of ranks; each computes on one device."},
    {.name = "nodes",
     .kind = kInteger,
     .default_value = "1",
     .allowed = "[1, 65536]",
     .unit = "machines",
     .help = "Number of machines the ranks are spread over."},
    {.name = "batch_global",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[1, inf)",
     .unit = "samples",
     .help = "Samples of one step over all ranks (strong scaling); this or batch_per_device.",
     .optional = true},
    {.name = "batch_per_device",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[1, inf)",
     .unit = "samples",
     .help = "Samples of one step on each rank (weak scaling); this or batch_global.",
     .optional = true},
    {.name = "model",
     .kind = kText,
     .default_value = "mlp-258k",
     .allowed = "mlp-258k|mlp-6.9m|mlp-4096|gpt-tiny|gpt2-124m|gpt2-1558m|gpt-6.7b|llama-7b|"
                "llama-13b|resnet50-cifar|resnet50|lstm-332k|gru-250k",
     .unit = "",
     .help = "The network that is trained."},
    {.name = "model.layers",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[1, 64]",
     .unit = "layers",
     .help = "Hidden layers of mlp-4096 (3), blocks of a transformer or of each ResNet stage.",
     .optional = true},
    {.name = "model.width",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[1, 65536]",
     .unit = "elements",
     .help = "Width of a model that has one; else the model's own.",
     .optional = true},
    {.name = "model.heads",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[1, 1024]",
     .unit = "heads",
     .help = "Attention heads of a transformer; else the model's own.",
     .optional = true},
    {.name = "model.sequence",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[1, 1048576]",
     .unit = "steps",
     .help = "Tokens or steps of a sample of a sequence model; else the model's own.",
     .optional = true},
    {.name = "model.vocabulary",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[4, 1048576]",
     .unit = "tokens",
     .help = "Different tokens of a transformer; else the model's own.",
     .optional = true},
    {.name = "model.image",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[1, 1024]",
     .unit = "pixels",
     .help = "Side of a ResNet's square images; else the model's own.",
     .optional = true},
    {.name = "model.ghost_batches",
     .kind = kInteger,
     .default_value = "",
     .allowed = "[1, 65536]",
     .unit = "parts",
     .help = "Parts of a device's batch that a ResNet normalises by themselves (1).",
     .optional = true},
    {.name = "backend",
     .kind = kText,
     .default_value = "cpu",
     .allowed = "cpu|cuda",
     .unit = "",
     .help = "What computes: CPU cores or a GPU."},
    {.name = "precision",
     .kind = kText,
     .default_value = "fp32",
     .allowed = "fp32|fp64|tf32|bf16|fp16",
     .unit = "",
     .help =
         "Type of parameters, activations and gradients; 16-bit ones have fp32 master weights."},
    {.name = "strategy",
     .kind = kText,
     .default_value = "ddp",
     .allowed = "ddp|ddp_serial",
     .unit = "",
     .help = "How replicas sum gradients: ddp in buckets, ddp_serial all at once after backward."},
    {.name = "comm",
     .kind = kText,
     .default_value = "mpi",
     .allowed = "mpi|noop|nccl|mpi_staged",
     .unit = "",
     .help = "Who sums gradients: mpi in host memory, on a GPU nccl or mpi_staged (MPI by way of "
             "host memory); noop sums nothing and is the control without communication.",
     .communication = true,
     .cuda_default_value = "nccl"},
    {.name = "comm_dtype",
     .kind = kText,
     .default_value = "",
     .allowed = "fp32|bf16",
     .unit = "",
     .help =
         "Type gradients are rounded to, summed and sent in; else the one they are computed in.",
     .communication = true,
     .optional = true},
    {.name = "overlap",
     .kind = kText,
     .default_value = "none",
     .allowed = "none|poll|start_wait|thread|stream",
     .unit = "",
     .help =
         "Whether buckets are sent while backward goes on: poll starts MPI_Iallreduce and drives "
         "it after each layer, thread calls MPI_Allreduce on a thread of its own, stream queues "
         "NCCL, as PyTorch does; start_wait, the control of poll, waits for each of poll's calls "
         "at "
         "once. none where strategy or comm leave nothing to overlap.",
     .communication = true,
     .cuda_default_value = "stream",
     .first_default_value = "none"},
    {.name = "payload",
     .kind = kText,
     .default_value = "buckets",
     .allowed = "buckets|element",
     .unit = "",
     .help = "What is summed: buckets, or the control that moves one element of each instead.",
     .communication = true},
    {.name = "timing",
     .kind = kText,
     .default_value = "full",
     .allowed = "full|light",
     .unit = "",
     .help = "Whether phases are timed; light reads the clock at a step's two ends only."},
    {.name = "bucket_mb",
     .kind = kReal,
     .default_value = "25",
     .allowed = "(0, inf)",
     .unit = "MiB",
     .help = "A gradient bucket is closed once it holds this much (MiB, as PyTorch counts).",
     .communication = true},
    {.name = "first_bucket_mb",
     .kind = kReal,
     .default_value = "1",
     .allowed = "(0, inf)",
     .unit = "MiB",
     .help = "The same for the first bucket, smaller so that sending starts early.",
     .communication = true},
    {.name = "accumulation_steps",
     .kind = kInteger,
     .default_value = "1",
     .allowed = "[1, 65536]",
     .unit = "parts",
     .help = "Parts a device's batch is computed in, one after another; gradients travel once."},
    {.name = "deterministic",
     .kind = kFlag,
     .default_value = "false",
     .allowed = "",
     .unit = "",
     .help = "Whether a run repeats bit for bit on the same devices; may be slower on a GPU."},
    {.name = "cudnn_math",
     .kind = kText,
     .default_value = "",
     .allowed = "fp32|tf32",
     .unit = "",
     .help =
         "Whether convolutions and recurrences of fp32 on a GPU round their inputs to TF32; else "
         "as precision says. PyTorch's own default is precision fp32 with tf32 here.",
     .optional = true},
    {.name = "algorithms",
     .kind = kText,
     .default_value = "heuristic",
     .allowed = "heuristic|timed",
     .unit = "",
     .help =
         "How algorithms of a GPU's libraries are chosen before the first step, by rank 0 for "
         "all: by the libraries' own estimate, or by timing them; heuristic where deterministic.",
     .cuda_default_value = "timed",
     .first_default_value = "heuristic"},
    {.name = "workspace_mb",
     .kind = kReal,
     .default_value = "64",
     .allowed = "(0, 65536]",
     .unit = "MiB",
     .help =
         "Memory that algorithms of a GPU's libraries may use; with less they are slower ones."},
    {.name = "device_peak_flops",
     .kind = kReal,
     .default_value = "",
     .allowed = "(0, inf)",
     .unit = "FLOP/s",
     .help = "Peak of one device at this precision, dense: model FLOP/s are reported over it.",
     .optional = true},
    {.name = "optimizer",
     .kind = kText,
     .default_value = "sgd",
     .allowed = "sgd|adamw",
     .unit = "",
     .help = "Update rule: sgd with momentum, or adamw."},
    {.name = "learning_rate",
     .kind = kReal,
     .default_value = "0.01",
     .allowed = "[0, inf)",
     .unit = "",
     .help = "Learning rate, the same at every step.",
     .adamw_default_value = "0.001",
     .first_default_value = "0.01"},
    {.name = "momentum",
     .kind = kReal,
     .default_value = "0.9",
     .allowed = "[0, 1)",
     .unit = "",
     .help = "Momentum of sgd; not used by adamw."},
    {.name = "weight_decay",
     .kind = kReal,
     .default_value = "0",
     .allowed = "[0, inf)",
     .unit = "",
     .help = "Weight decay; decoupled for adamw."},
    {.name = "loss",
     .kind = kText,
     .default_value = "cross_entropy",
     .allowed = "cross_entropy|mse",
     .unit = "",
     .help = "Loss on the network's output."},
    {.name = "seed",
     .kind = kInteger,
     .default_value = "1",
     .allowed = "[0, inf)",
     .unit = "",
     .help = "Seed of data, initial parameters and dropout."},
    {.name = "threads",
     .kind = kInteger,
     .default_value = "1",
     .allowed = "[1, 1024]",
     .unit = "cores",
     .help = "Cores of each device on the CPU."},
    {.name = "warmup_steps",
     .kind = kInteger,
     .default_value = "10",
     .allowed = "[0, 1000000]",
     .unit = "steps",
     .help = "Steps before measuring; kept and marked as warm-up."},
    {.name = "measured_steps",
     .kind = kInteger,
     .default_value = "100",
     .allowed = "[1, 1000000]",
     .unit = "steps",
     .help = "Steps that count."},
    {.name = "warmup_time_s",
     .kind = kReal,
     .default_value = "0",
     .allowed = "[0, 86400]",
     .unit = "s",
     .help =
         "Warm up for at least this long too, and on until steps are steady, at most four times "
         "that and 60 steps (20 times that where steps are slow). 0: exactly the steps asked "
         "for."},
    {.name = "measured_time_s",
     .kind = kReal,
     .default_value = "0",
     .allowed = "[0, 86400]",
     .unit = "s",
     .help = "Measure at least this long too, in as many steps as the warm-up says (10,000 at most "
             "for its sake)."},
});

// With `beside` at this value a parameter keeps its plain default on a GPU.
struct Exception {
  std::string_view parameter;
  std::string_view beside;
  std::string_view value;
};
constexpr auto kCudaExceptions = std::to_array<Exception>({
    {"overlap", "strategy", "ddp_serial"},    // sends after backward
    {"overlap", "comm", "mpi_staged"},        // the host copies and waits
    {"algorithms", "deterministic", "true"},  // times differ from run to run
});

constexpr std::string_view kTrain = "train";
constexpr std::string_view kCollective = "collective";

std::vector<std::string_view> split_words(std::string_view allowed) {
  std::vector<std::string_view> words;
  while (!allowed.empty()) {
    const std::size_t bar = std::min(allowed.find('|'), allowed.size());
    words.push_back(allowed.substr(0, bar));
    allowed.remove_prefix(std::min(bar + 1, allowed.size()));
  }
  return words;
}

// Edit distance of two short words (Wagner-Fischer, one row). harness/base has the like for the
// study file; this room includes nothing of the harness.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

std::string check_word(const ParameterInfo& parameter, std::string_view text) {
  const std::vector<std::string_view> words = split_words(parameter.allowed);
  if (words.empty() || std::find(words.begin(), words.end(), text) != words.end()) {
    return "";
  }
  std::string message = std::string(parameter.name) + " is " + quoted(text) + ", allowed: ";
  std::string_view closest;
  std::size_t closest_distance = std::max<std::size_t>(2, text.size() / 3) + 1;
  for (const std::string_view word : words) {
    message += (word == words.front() ? "" : ", ") + std::string(word);
    // A long bad text is far from every word; its distance need not be computed.
    const std::size_t distance =
        text.size() > 2 * word.size() + 2 ? closest_distance : edit_distance(text, word);
    if (distance < closest_distance) {
      closest = word;
      closest_distance = distance;
    }
  }
  return closest.empty() ? message : message + " (did you mean " + quoted(closest) + "?)";
}

template <typename Number>
std::optional<Number> read_number(std::string_view text) {
  Number value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

// Whether `value` lies in an interval of the table, "[1, 64]" or "(0, inf)"; empty: everything.
bool is_in_range(std::string_view allowed, double value) {
  if (allowed.empty()) {
    return true;
  }
  const std::size_t comma = allowed.find(", ");
  const double lo = read_number<double>(allowed.substr(1, comma - 1)).value();
  const double hi =
      read_number<double>(allowed.substr(comma + 2, allowed.size() - comma - 3)).value();
  return (allowed.front() == '[' ? value >= lo : value > lo) &&
         (allowed.back() == ']' ? value <= hi : value < hi);
}

std::string check_number(const ParameterInfo& parameter, std::string_view text) {
  const bool is_integer = parameter.kind == kInteger;
  std::optional<double> value;
  if (!is_integer) {
    value = read_number<double>(text);
  } else if (const auto integer = read_number<std::int64_t>(text)) {
    value = static_cast<double>(*integer);
  }
  if (value && std::isfinite(*value) && is_in_range(parameter.allowed, *value)) {
    return "";
  }
  std::string message = std::string(parameter.name) + " is " + quoted(text) +
                        ", allowed: " + (is_integer ? "an integer" : "a number");
  if (!parameter.allowed.empty()) {
    message += " in " + std::string(parameter.allowed);
  }
  return parameter.unit.empty() ? message : message + " " + std::string(parameter.unit);
}

}  // namespace

std::span<const ParameterInfo> workload_parameters(std::string_view workload) {
  if (workload == kTrain) {
    return kTrainParameters;
  }
  if (workload == kCollective) {
    return collective_parameters();
  }
  return {};
}

const ParameterInfo* find_parameter(std::string_view workload, std::string_view name) {
  const auto table = workload_parameters(workload);
  const auto found = std::find_if(
      table.begin(), table.end(), [name](const ParameterInfo& info) { return info.name == name; });
  return found == table.end() ? nullptr : &*found;
}

std::string_view default_value(const ParameterInfo& parameter,
                               const std::map<std::string, std::string>& beside) {
  const auto is = [&](std::string_view name, std::string_view value) {
    const auto given = beside.find(std::string(name));
    return given != beside.end() && given->second == value;
  };
  const bool is_exception =
      std::any_of(kCudaExceptions.begin(), kCudaExceptions.end(), [&](const Exception& one) {
        return one.parameter == parameter.name && is(one.beside, one.value);
      });
  if (is("optimizer", "adamw") && !parameter.adamw_default_value.empty()) {
    return parameter.adamw_default_value;
  }
  return is("backend", "cuda") && !parameter.cuda_default_value.empty() && !is_exception
             ? parameter.cuda_default_value
             : parameter.default_value;
}

std::string check_parameter(const ParameterInfo& parameter, std::string_view text) {
  switch (parameter.kind) {
    case kInteger:
    case kReal:
      return check_number(parameter, text);
    case kText:
      return check_word(parameter, text);
    case kFlag:
      break;
  }
  if (text == "true" || text == "false") {
    return "";
  }
  return std::string(parameter.name) + " is " + quoted(text) + ", allowed: true, false";
}

std::vector<std::string> builtin_workloads() {
  return {std::string(kTrain), std::string(kCollective)};
}

}  // namespace scalestudy::protocol
