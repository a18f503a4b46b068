#include "workloads/train/memory/describe.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "workloads/names/names.h"
#include "workloads/parameters/given_values.h"
#include "workloads/train/exchange/exchanges.h"
#include "workloads/train/layout/declared_times.h"
#include "workloads/train/layout/layout.h"
#include "workloads/train/layout/pipeline_facts.h"
#include "workloads/train/memory/available_memory.h"
#include "workloads/train/memory/largest_model.h"
#include "workloads/train/memory/memory.h"

namespace scalestudy::train {
namespace {

template <typename... Arguments>
std::string line(const char* format, Arguments... arguments) {
  std::array<char, 256> text{};
  std::snprintf(text.data(), text.size(), format, arguments...);
  return text.data();
}

// "  fits 79.6 GiB a rank, calculated: ddp model.layers 3 (58734592 parameters), ..."
std::string largest_line(const Texts& texts, int ranks, double bytes) {
  std::string text;
  bool has_most = false;
  for (const LargestModel& model : largest_models(texts, ranks, bytes)) {
    has_most = has_most || model.layers == kMostTriedLayers;
    const std::string host =
        model.host_bytes == 0 ? "" : ", and " + format_bytes(model.host_bytes) + " of the host's";
    text += (text.empty() ? "" : ", ") + model.name +
            (model.layers == 0 ? line(" none")
                               : line(" model.layers %s%zu (%zu parameters, %s%s)",
                                      model.layers < kMostTriedLayers ? "" : "at least ",
                                      model.layers,
                                      model.parameters,
                                      format_bytes(model.memory_bytes).c_str(),
                                      host.c_str()));
  }
  return text.empty()
             ? ""
             : "  fits " + format_bytes(static_cast<std::size_t>(bytes)) +
                   " a rank, calculated: " + text +
                   (has_most ? line("; more than %zu layers are not tried", kMostTriedLayers)
                             : "") +
                   "\n";
}

std::string bucket_lines(const Options& options) {
  const std::vector<model::Unit> units = plan_units(options);
  const std::vector<sync::Bucket> buckets = make_buckets(options, units);
  return line("  %zu bucket(s) of gradients, the last of %zu bytes\n",
              buckets.size(),
              buckets.back().size_bytes) +
         line("  %zu bytes to send, a rank and step\n", traffic_bytes(options, units));
}

std::string stage_lines(const Options& options) {
  const std::map<std::string, double> facts = pipeline_facts(options);
  std::string text;
  for (std::size_t stage = 0; stage < options.pipeline.stages; ++stage) {
    const std::string name = "stage." + std::to_string(stage) + ".";
    text += line("  stage %zu: %.0f layer(s) or block(s), %.0f parameters, %.4g flop, %s\n",
                 stage,
                 facts.at(name + "layers"),
                 facts.at(name + names::kParameterCount),
                 facts.at(name + names::kFlopPerSample),
                 format_bytes(estimate_memory(for_rank(options, stage)).total()).c_str());
  }
  return text +
         line("  %zu micro-batches of %zu: a bubble of %.3g of the step where stages are equal\n",
              options.accumulation_steps,
              options.batch_global / options.accumulation_steps,
              facts.at("pipeline_bubble_ideal")) +
         line("  %.0f bytes to send by the stage that sends most, %.0f by all, a step\n",
              facts.at(names::kTrafficBytes),
              facts.at(names::kWireBytes));
}

}  // namespace

int rank_count(const Texts& texts) {
  const std::int64_t devices = protocol::GivenValues(texts).integer(names::kDevices);
  return static_cast<int>(std::clamp<std::int64_t>(devices, 1, 65'536));
}

std::string describe_run(const Texts& texts) {
  const int ranks = rank_count(texts);
  const Options options = make_options(complete(texts, ranks));
  const model::SampleShape sample = model::sample_shape(options.model);
  const std::size_t saved = checkpoint_memory_bytes(options);
  const auto device_bytes = device_memory_bytes(options);
  return model::describe(options.model) +
         line(": %zu parameters in %zu tensors\n",
              model::parameter_count(options.model),
              model::tensor_elements(options.model).size()) +
         line("  a sample: %zu %s, %zu prediction(s), %.4g flop of a training step\n",
              sample.input_width,
              sample.is_tokens ? "tokens" : "values",
              sample.rows,
              model::flop_per_sample(options.model)) +
         line("  %d rank(s), batch %zu (%zu a rank)\n",
              ranks,
              options.batch_global,
              options.batch_per_device) +
         (options.pipeline.is_on() ? stage_lines(options) : bucket_lines(options)) +
         (options.declared ? line("  emulated: a rank sleeps %.4g ms a step instead of computing\n",
                                  1e3 * longest_declared_s(options))
                           : "") +
         "  memory: " + format_memory(estimate_memory(of_largest_rank(options))) + "\n" +
         (saved > 0 ? "  checkpoints in memory: at most " + format_bytes(saved) + "\n" : "") +
         (device_bytes && !options.declared ? largest_line(texts, ranks, *device_bytes) : "");
}

std::map<std::string, double> describe_facts(const Texts& texts) {
  const Options options = make_options(complete(texts, rank_count(texts)));
  const Memory memory = estimate_memory(of_largest_rank(options));
  std::map<std::string, double> facts = {
      {names::kParameterCount, static_cast<double>(model::parameter_count(options.model))},
      {"memory_bytes", static_cast<double>(memory.total())}};
  if (const std::size_t saved = checkpoint_memory_bytes(options); saved > 0) {
    facts["checkpoint_memory_bytes"] = static_cast<double>(saved);
  }
  if (const auto available = available_memory_bytes()) {
    facts[options.backend == Backend::kCpu ? "available_memory_bytes"
                                           : "available_host_memory_bytes"] =
        static_cast<double>(*available);
  }
  if (const std::size_t pinned = most_host_bytes(options); pinned > 0) {
    facts["host_memory_bytes"] = static_cast<double>(pinned);
  }
  if (const auto bytes = device_memory_bytes(options); bytes && !options.device_memory_bytes) {
    facts["gpu_memory_bytes"] = *bytes;
  }
  if (options.device_memory_bytes) {
    facts["device_memory_bytes"] = *options.device_memory_bytes;
  }
  if (options.device_memory_bytes && !options.declared) {  // emulated layers take no memory
    for (const LargestModel& model :
         largest_models(texts, rank_count(texts), *options.device_memory_bytes)) {
      facts["largest_layers." + model.name] = static_cast<double>(model.layers);
      if (model.host_bytes > 0) {
        facts["largest_host_bytes." + model.name] = static_cast<double>(model.host_bytes);
      }
    }
  }
  return facts;
}

}  // namespace scalestudy::train
