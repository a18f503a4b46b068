#include "workloads/train/options.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <vector>

#include <CLI/CLI.hpp>

#include "workloads/protocol/exit_codes.h"
#include "workloads/protocol/parameters.h"
#include "workloads/rank/error.h"

namespace scalestudy::train {
namespace {

constexpr std::string_view kWorkload = "train";
constexpr double kMebibyte = 1048576.0;

[[noreturn]] void refuse(const std::string& message) {
  throw rank::WorkloadError(protocol::kExitUsage, message);
}

std::string flag_name(std::string_view parameter) {
  std::string flag = "--" + std::string(parameter);
  std::replace(flag.begin(), flag.end(), '_', '-');
  std::replace(flag.begin(), flag.end(), '.', '-');
  return flag;
}

std::string describe(const protocol::ParameterInfo& parameter) {
  std::string text(parameter.help);
  if (!parameter.allowed.empty()) {
    text += " {" + std::string(parameter.allowed) + "}";
  }
  if (!parameter.unit.empty()) {
    text += " " + std::string(parameter.unit);
  }
  if (!parameter.default_value.empty()) {
    text += " [" + std::string(parameter.default_value) + "]";
  }
  return text;
}

// Every flag takes a text; the values land in `texts`.
void add_flags(CLI::App& app, Texts& texts) {
  app.set_help_flag("-h,--help", "Print this and exit.");
  for (const protocol::ParameterInfo& parameter : protocol::workload_parameters(kWorkload)) {
    app.add_option_function<std::string>(
           flag_name(parameter.name),
           [&texts, name = std::string(parameter.name)](const std::string& text) {
             texts[name] = text;
           },
           describe(parameter))
        ->type_name("");
  }
  app.footer(
      "Parameters are also taken from SCALESTUDY_PARAMETERS (a JSON object); flags win. With\n"
      "SCALESTUDY_OUTPUT set, rank 0 writes the trial protocol to that file, else a summary to "
      "stdout.\n"
      "\n"
      "Examples:\n"
      "  scalestudy-train --batch-per-device 64\n"
      "  mpirun -n 2 --bind-to core scalestudy-train --batch-global 256\n"
      "  mpirun -n 2 --bind-to core scalestudy-train --batch-global 256 --comm noop\n"
      "  scalestudy-train --model mlp-4096 --model-layers 1 --batch-per-device 32 --loss mse\n");
}

std::size_t to_count(const std::string& text) {
  return std::stoull(text);
}

model::ModelSpec find_model(const Texts& texts) {
  constexpr std::string_view prefix = "model.";
  model::Overrides overrides;
  for (const auto& [name, text] : texts) {
    if (name.starts_with(prefix)) {
      overrides[name.substr(prefix.size())] = to_count(text);
    }
  }
  try {
    return model::find_model(texts.at("model"), overrides);
  } catch (const std::invalid_argument& error) {
    refuse(error.what());
  }
}

void fill_batches(Texts& texts, int rank_count) {
  const auto ranks = static_cast<std::size_t>(rank_count);
  const auto global = texts.find("batch_global");
  const auto local = texts.find("batch_per_device");
  if ((global == texts.end()) == (local == texts.end())) {
    refuse(global == texts.end() ? "no batch is given; give batch_global (strong scaling) or "
                                   "batch_per_device (weak scaling)"
                                 : "batch_global and batch_per_device are both given; give one");
  }
  if (local != texts.end()) {
    texts["batch_global"] = std::to_string(to_count(local->second) * ranks);
    return;
  }
  const std::size_t samples = to_count(global->second);
  if (samples % ranks != 0) {
    refuse("batch_global is " + global->second + ", which " + std::to_string(ranks) +
           " ranks cannot share evenly; give a multiple of " + std::to_string(ranks));
  }
  texts["batch_per_device"] = std::to_string(samples / ranks);
}

}  // namespace

std::string help_text() {
  CLI::App app(
      "Trains a multilayer perceptron on synthetic data, data-parallel over MPI ranks, and times "
      "each step.",
      "scalestudy-train");
  Texts unused;
  add_flags(app, unused);
  return app.help();
}

Texts environment() {
  const char* json = std::getenv("SCALESTUDY_PARAMETERS");
  if (json == nullptr || *json == '\0') {
    return {};
  }
  try {
    return protocol::parse_parameters(json);
  } catch (const std::invalid_argument& error) {
    refuse(std::string("SCALESTUDY_PARAMETERS: ") + error.what());
  }
}

Texts parse_flags(std::span<const char* const> arguments) {
  CLI::App app;
  Texts texts;
  add_flags(app, texts);
  // CLI11 takes the arguments last first.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    refuse(std::string(error.what()) + "; scalestudy-train --help lists the flags");
  }
  return texts;
}

Texts merge(const Texts& environment, const Texts& flags) {
  Texts texts;
  for (const protocol::ParameterInfo& parameter : protocol::workload_parameters(kWorkload)) {
    if (!parameter.default_value.empty() && parameter.name != "devices") {
      texts[std::string(parameter.name)] = parameter.default_value;
    }
  }
  const bool flags_set_batch = flags.contains("batch_global") || flags.contains("batch_per_device");
  for (const auto& [name, text] : environment) {
    if (!(flags_set_batch && name.starts_with("batch_"))) {
      texts[name] = text;
    }
  }
  for (const auto& [name, text] : flags) {
    texts[name] = text;
  }
  return texts;
}

Texts complete(const Texts& merged, int rank_count) {
  for (const auto& [name, text] : merged) {
    const protocol::ParameterInfo* parameter = protocol::find_parameter(kWorkload, name);
    if (parameter == nullptr) {
      refuse("train has no parameter " + name + "; scalestudy-train --help lists them");
    }
    const std::string problem = protocol::check_parameter(*parameter, text);
    if (!problem.empty()) {
      refuse(problem);
    }
  }
  Texts texts = merged;
  const auto devices = texts.emplace("devices", std::to_string(rank_count)).first;
  if (to_count(devices->second) != static_cast<std::size_t>(rank_count)) {
    refuse("devices is " + devices->second + ", but " + std::to_string(rank_count) +
           " MPI rank(s) run; start with mpirun -n " + devices->second);
  }
  fill_batches(texts, rank_count);
  return texts;
}

Options make_options(const Texts& texts) {
  Options options;
  options.model = find_model(texts);
  options.backend = texts.at("backend") == "cuda" ? Backend::kCuda : Backend::kCpu;
  options.is_double = texts.at("precision") == "fp64";
  options.has_phases = texts.at("timing") == "full";
  options.is_noop = texts.at("comm") == "noop";
  options.overlap = texts.at("overlap") == "poll" ? sync::Overlap::kPoll : sync::Overlap::kNone;
  options.bucket_bytes = std::stod(texts.at("bucket_mb")) * kMebibyte;
  options.first_bucket_bytes = std::stod(texts.at("first_bucket_mb")) * kMebibyte;
  options.loss = texts.at("loss") == "mse" ? Loss::kMeanSquaredError : Loss::kCrossEntropy;
  options.optimizer = texts.at("optimizer") == "adamw" ? Optimizer::kAdamW : Optimizer::kSgd;
  options.learning_rate = std::stod(texts.at("learning_rate"));
  options.momentum = std::stod(texts.at("momentum"));
  options.weight_decay = std::stod(texts.at("weight_decay"));
  options.seed = std::stoull(texts.at("seed"));
  options.threads = std::stoi(texts.at("threads"));
  options.batch_per_device = to_count(texts.at("batch_per_device"));
  options.batch_global = to_count(texts.at("batch_global"));
  options.warmup_steps = to_count(texts.at("warmup_steps"));
  options.measured_steps = to_count(texts.at("measured_steps"));
  return options;
}

}  // namespace scalestudy::train
