#include "workloads/train/options/options.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "workloads/names/names.h"
#include "workloads/parameters/combinations.h"
#include "workloads/parameters/shares.h"
#include "workloads/parameters/strategies.h"

namespace scalestudy::train {
namespace {

constexpr double kMebibyte = 1048576.0;

const flags::Program& program() {
  static const flags::Program kProgram{
      .workload = "train",
      .name = "scalestudy-train",
      .summary =
          "Trains a network on synthetic data or a file, data-parallel over MPI ranks, and times "
          "each step. "
          "With --describe first it says instead what such a run would be and need; with "
          "--write-start FOLDER it writes what the run begins with, initial parameters and the "
          "samples of its steps, for a program of another framework to train the same; with "
          "--supervise FOLDER COMMAND... it runs the command, which keeps checkpoints in a folder "
          "of its own in FOLDER, and once more after a failure that was asked for. With "
          "SCALESTUDY_TRACE set to a folder, which scalestudy run --profile does, each rank writes "
          "a "
          "trace of its steps and of what its GPU did there (trace.rank0.json), and the run is "
          "none "
          "to measure with.",
      .examples =
          "  scalestudy-train --batch-per-device 64\n"
          "  scalestudy-train --describe --model gpt2-124m --batch-per-device 4\n"
          "  mpirun -n 2 --bind-to core scalestudy-train --batch-global 256\n"
          "  mpirun -n 2 --bind-to core scalestudy-train --batch-global 256 --comm noop\n"
          "  scalestudy-train --write-start /tmp/start --devices 2 --batch-global 64\n"
          "  scalestudy-train --batch-per-device 64 --save-every 20 --save-dir /tmp/run\n"
          "  scalestudy-train --supervise /tmp mpirun -n 2 scalestudy-train --batch-global 64 "
          "--save-every 20 --failure kill_rank --failure-step 50\n"
          "  scalestudy-train --model mlp-4096 --model-layers 1 --batch-per-device 32 --loss "
          "mse\n"};
  return kProgram;
}

std::size_t to_count(const std::string& text) {
  return std::stoull(text);
}

// As the check of parameters reads it: std::stod() throws for a number that is nearly 0.
double to_number(const std::string& text) {
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
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
    return model::find_model(texts.at(names::kModel), overrides);
  } catch (const std::invalid_argument& error) {
    flags::refuse(error.what());
  }
}

// The value of an option by its word. Throws std::logic_error for a word that a table of parameters
// allows and the enum lacks.
template <typename Enum>
Enum pick(std::string_view text) {
  std::string_view words = kOptionWords<Enum>;
  for (int value = 0; !words.empty(); ++value) {
    const std::size_t end = std::min(words.find('|'), words.size());
    if (words.substr(0, end) == text) {
      return static_cast<Enum>(value);
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  throw std::logic_error("no option has the word " + std::string(text));
}

sync::Overlap overlap(std::string_view text) {
  if (text == "thread" || text == "stream") {
    return sync::Overlap::kBackground;
  }
  if (text == "start_wait") {
    return sync::Overlap::kStartWait;
  }
  return text == "poll" ? sync::Overlap::kPoll : sync::Overlap::kNone;
}

std::optional<FileOptions> data_file(const Texts& texts) {
  if (texts.at("data") != "file") {
    return std::nullopt;
  }
  const auto path = texts.find("data_path");
  return FileOptions{.path = path == texts.end() ? "" : path->second,
                     .samples = to_count(texts.at("data_samples")),
                     .prefetch = to_count(texts.at("data_prefetch")),
                     .decode_s = 1e-6 * to_number(texts.at("decode_us")),
                     .drops_cache = texts.at("data_cache") == "drop"};
}

std::optional<Declared> declared(const Texts& texts) {
  if (texts.at("compute") == "real") {
    return std::nullopt;
  }
  const double gigabytes_per_s = to_number(texts.at("declared_gb_per_s"));
  return Declared{.step_s = 1e-3 * to_number(texts.at("declared_step_ms")),
                  .sample_s = 1e-3 * to_number(texts.at("declared_sample_ms")),
                  .link = {.hop_s = 1e-3 * to_number(texts.at("declared_hop_ms")),
                           .s_per_byte = gigabytes_per_s > 0.0 ? 1e-9 / gigabytes_per_s : 0.0}};
}

SaveOptions saves(const Texts& texts) {
  const auto folder = texts.find("save_dir");
  return {.every = to_count(texts.at(names::kSaveEvery)),
          .folder = folder == texts.end() ? "" : folder->second,
          .drops_cache = texts.at("save_cache") == "drop"};
}

Failure failure(const Texts& texts) {
  return {.kind = pick<FailureKind>(texts.at("failure")),
          .step = to_count(texts.at("failure_step")),
          .rank = to_count(texts.at("failure_rank")),
          .node_ranks = to_count(texts.at(names::kVirtualNodeRanks)),
          .notice_s = to_number(texts.at("notice_s"))};
}

void fill_batches(Texts& texts, int rank_count) {
  const auto ranks = static_cast<std::size_t>(rank_count);
  const auto global = texts.find(names::kBatchGlobal);
  const auto local = texts.find(names::kBatchPerDevice);
  if ((global == texts.end()) == (local == texts.end())) {
    flags::refuse(global == texts.end()
                      ? "no batch is given; give batch_global (strong scaling) or "
                        "batch_per_device (weak scaling)"
                      : "batch_global and batch_per_device are both given; give one");
  }
  if (local != texts.end()) {
    texts[names::kBatchGlobal] = std::to_string(to_count(local->second) * ranks);
    return;
  }
  const std::size_t samples = to_count(global->second);
  if (samples % ranks != 0) {
    flags::refuse("batch_global is " + global->second + ", which " + std::to_string(ranks) +
                  " ranks cannot share evenly; give a multiple of " + std::to_string(ranks));
  }
  texts[names::kBatchPerDevice] = std::to_string(samples / ranks);
}

// Of as many epochs as asked for, less the warm-up: check_combination() has found some left.
void fill_steps(Texts& texts) {
  const std::size_t epochs = to_count(texts.at(names::kEpochs));
  if (epochs == 0) {
    return;
  }
  const std::size_t steps =
      epochs * (to_count(texts.at("train_samples")) / to_count(texts.at(names::kBatchGlobal)));
  texts[names::kMeasuredSteps] = std::to_string(steps - to_count(texts.at(names::kWarmupSteps)));
}

// The seed plus the number of the block of trials; by hand, without one, the seed.
void fill_seed(Texts& texts) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread changes it
  const char* block = std::getenv("SCALESTUDY_BLOCK");
  if (block == nullptr || texts.at("vary_seed") != "true") {
    return;
  }
  const std::string_view text = block;
  std::uint64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) {
    flags::refuse("SCALESTUDY_BLOCK is \"" + std::string(text) +
                  "\"; with vary_seed it must be the number of a block, 0 or more");
  }
  texts["seed"] = std::to_string(std::stoull(texts.at("seed")) + number);
}

std::vector<std::size_t> counts(const std::string& list) {
  std::vector<std::size_t> values;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, ',');) {
    values.push_back(to_count(item));
  }
  return values;
}

// How ranks exchange gradients.
void read_exchange(const Texts& texts, Options& options) {
  options.transport = pick<Transport>(texts.at(names::kComm));
  options.overlap = overlap(texts.at(names::kOverlap));
  options.has_comm_thread = texts.at(names::kOverlap) == "thread";
  options.payload =
      texts.at("payload") == "element" ? sync::Payload::kElement : sync::Payload::kBuckets;
  options.sync_every =
      texts.at(names::kStrategy) == "local_sgd" ? to_count(texts.at("sync_every")) : 0;
  options.power_sgd_rank =
      texts.at(names::kStrategy) == "powersgd" ? to_count(texts.at("powersgd_rank")) : 0;
  if (const auto type = texts.find(names::kCommDtype); type != texts.end()) {
    options.wire_type = type->second == "bf16"   ? device::DataType::kBfloat16
                        : type->second == "fp16" ? device::DataType::kFloat16
                                                 : device::DataType::kFloat32;
  }
  options.top_k = 0.01 * to_number(texts.at("topk"));
  if (texts.at("allreduce") == "hierarchical") {
    options.node_ranks = to_count(texts.at(names::kVirtualNodeRanks));
  }
  options.bucket_bytes = to_number(texts.at("bucket_mb")) * kMebibyte;
  options.first_bucket_bytes = to_number(texts.at("first_bucket_mb")) * kMebibyte;
}

// What the device has and may choose; after the precision was read.
void read_device(const Texts& texts, Options& options) {
  const auto math = texts.find("cudnn_math");
  options.has_cudnn_tf32 =
      math == texts.end() ? options.precision == Precision::kTf32 : math->second == "tf32";
  options.has_timed_algorithms = texts.at("algorithms") == "timed";
  options.workspace_bytes = to_number(texts.at("workspace_mb")) * kMebibyte;
  if (const auto peak = texts.find("device_peak_flops"); peak != texts.end()) {
    options.device_peak_flop_per_s = to_number(peak->second);
  }
  if (const auto memory = texts.find("device_memory_gb"); memory != texts.end()) {
    options.device_memory_bytes = 1e9 * to_number(memory->second);
  }
}

// What is learned, and how fast.
void read_learning(const Texts& texts, Options& options) {
  options.learning_rate = to_number(texts.at("learning_rate"));
  options.rate_scale = pick<RateScale>(texts.at("lr_scale"));
  options.rate_warmup_steps = to_count(texts.at("lr_warmup_steps"));
  if (const auto list = texts.find("lr_milestones"); list != texts.end()) {
    options.rate_milestones = counts(list->second);
  }
  options.seed = std::stoull(texts.at("seed"));
  options.has_own_seed = texts.at("vary_seed") == "true";
  options.train_samples = to_count(texts.at("train_samples"));
  options.label_noise = 0.01 * to_number(texts.at("label_noise"));
  options.held_out_samples = to_count(texts.at(names::kHeldOutSamples));
  options.is_evaluated_each_epoch = texts.at("evaluate") == "epochs";
}

}  // namespace

std::string help_text() {
  return flags::help_text(program());
}

Texts parse_flags(std::span<const char* const> arguments) {
  return flags::parse_flags(program(), arguments);
}

Texts merge(const Texts& environment, const Texts& flags) {
  Texts lower = environment;
  if (flags.contains(names::kBatchGlobal) || flags.contains(names::kBatchPerDevice)) {
    std::erase_if(lower, [](const auto& entry) { return entry.first.starts_with("batch_"); });
  }
  return flags::merge(program().workload, lower, flags);
}

Texts complete(const Texts& merged, int rank_count) {
  Texts texts = flags::check(program(), merged, rank_count);
  fill_batches(texts, rank_count);
  if (const std::string wrong = protocol::check_combination(program().workload, texts);
      !wrong.empty()) {
    flags::refuse(wrong);
  }
  fill_steps(texts);
  fill_seed(texts);
  return texts;
}

Options make_options(const Texts& texts) {
  Options options;
  options.model = find_model(texts);
  options.declared = declared(texts);
  options.backend = pick<Backend>(texts.at(names::kBackend));
  options.precision = pick<Precision>(texts.at(names::kPrecision));
  options.has_phases = texts.at("timing") == "full";
  read_exchange(texts, options);
  read_device(texts, options);
  const protocol::StrategyInfo& strategy = protocol::find_strategy(texts.at(names::kStrategy));
  options.is_serial = strategy.is_serial;
  options.updates_alone = strategy.updates_alone;
  options.sharding = strategy.sharding;
  if (strategy.has_stages && texts.at(names::kDevices) != "1") {
    options.pipeline.stages = to_count(texts.at(names::kDevices));
  }
  options.prefetch = to_count(texts.at("fsdp_prefetch"));
  options.checkpoint_every = to_count(texts.at("checkpoint_every"));
  options.is_resharded = texts.at("reshard_after_forward") == "true";
  options.is_offloaded = texts.at("offload") == "optimizer";
  options.is_deterministic = texts.at("deterministic") == "true";
  options.loss = pick<Loss>(texts.at("loss"));
  options.optimizer = pick<Optimizer>(texts.at("optimizer"));
  read_learning(texts, options);
  options.momentum = to_number(texts.at("momentum"));
  options.weight_decay = to_number(texts.at("weight_decay"));
  options.clip_norm = to_number(texts.at("clip_norm"));
  options.straggler = {.rank = to_count(texts.at("straggler_rank")),
                       .wait_s = 1e-3 * to_number(texts.at("straggler_ms")),
                       .factor = to_number(texts.at("straggler_factor"))};
  options.data_file = data_file(texts);
  options.saves = saves(texts);
  options.failure = failure(texts);
  options.threads = std::stoi(texts.at("threads"));
  options.batch_per_device = to_count(texts.at(names::kBatchPerDevice));
  options.batch_global = to_count(texts.at(names::kBatchGlobal));
  options.has_measured_shares = texts.at("shares") == protocol::kMeasuredShares;
  if (const auto weights = protocol::read_shares(texts.at("shares"))) {
    options.weights.assign(weights->begin(), weights->end());
  }
  options.accumulation_steps = to_count(texts.at(names::kAccumulationSteps));
  options.warmup_steps = to_count(texts.at(names::kWarmupSteps));
  options.measured_steps = to_count(texts.at(names::kMeasuredSteps));
  options.warmup_time_s = to_number(texts.at(names::kWarmupTime));
  options.measured_time_s = to_number(texts.at(names::kMeasuredTime));
  return options;
}

std::size_t Options::ranks() const {
  if (pipeline.is_on()) {
    return pipeline.stages;
  }
  return weights.empty() ? batch_global / batch_per_device : weights.size();
}

std::size_t first_of_share(const Options& options, std::size_t rank) {
  const std::vector<std::size_t>& weights = options.weights;
  if (options.pipeline.is_on()) {
    return 0;
  }
  if (weights.empty()) {
    return rank * options.batch_per_device;
  }
  const auto own = weights.begin() + static_cast<std::ptrdiff_t>(rank);
  const std::size_t before = std::accumulate(weights.begin(), own, std::size_t{0});
  const std::size_t all = std::accumulate(own, weights.end(), before);
  return options.batch_global / all * before;
}

Options for_rank(Options options, std::size_t rank) {
  if (options.pipeline.is_on()) {
    options.pipeline.stage = rank;
    options.batch_per_device = options.batch_global;
  } else {
    options.batch_per_device = first_of_share(options, rank + 1) - first_of_share(options, rank);
  }
  if (options.declared && rank == options.straggler.rank) {
    options.declared->step_s *= options.straggler.factor;
    options.declared->sample_s *= options.straggler.factor;
  }
  return options;
}

}  // namespace scalestudy::train
