#include "workloads/train/memory/largest_model.h"

#include <algorithm>
#include <optional>

#include "workloads/names/names.h"
#include "workloads/parameters/strategies.h"
#include "workloads/rank/error.h"
#include "workloads/train/memory/memory.h"

namespace scalestudy::train {
namespace {

std::optional<Options> options_of(Texts texts, int ranks, std::size_t layers) {
  texts["model.layers"] = std::to_string(layers);
  try {
    return make_options(complete(texts, ranks));
  } catch (const rank::WorkloadError&) {
    return std::nullopt;
  }
}

// With so many layers; nullopt where the parameters do not go with them.
std::optional<LargestModel> model_of(const Texts& texts, int ranks, std::size_t layers) {
  const std::optional<Options> options = options_of(texts, ranks, layers);
  if (!options) {
    return std::nullopt;
  }
  const Memory memory = estimate_memory(of_largest_rank(*options));
  return LargestModel{.name = {},
                      .layers = layers,
                      .parameters = model::parameter_count(options->model),
                      .memory_bytes = memory.total(),
                      .host_bytes = most_host_bytes(*options)};
}

}  // namespace

// Memory grows with layers, of which a pipeline has one for each stage at least, by nearly as much
// for each: two models say where to look.
std::optional<LargestModel> largest_model(const Texts& texts, int ranks, double bytes) {
  const auto fits = [&](const std::optional<LargestModel>& model) {
    return model && static_cast<double>(model->memory_bytes) <= bytes;
  };
  std::size_t least = 1;
  while (!options_of(texts, ranks, least)) {
    if (++least > kMostTriedLayers) {
      return std::nullopt;
    }
  }
  std::optional<LargestModel> found = model_of(texts, ranks, least);
  if (!fits(found)) {
    return LargestModel{};
  }
  std::size_t beyond = kMostTriedLayers + 1;
  std::size_t step = 1;
  while (found->layers + 1 < beyond) {
    const std::size_t layers = std::min(found->layers + step, beyond - 1);
    const std::optional<LargestModel> model = model_of(texts, ranks, layers);
    if (!fits(model)) {
      beyond = layers;
      step = std::max<std::size_t>((beyond - found->layers) / 2, 1);
      continue;
    }
    const double grown = static_cast<double>(model->memory_bytes - found->memory_bytes) /
                         static_cast<double>(layers - found->layers);
    const double room = bytes - static_cast<double>(model->memory_bytes);
    step = std::clamp(
        static_cast<std::size_t>(room / std::max(grown, 1.0)), std::size_t{1}, kMostTriedLayers);
    found = model;
  }
  return found;
}

namespace {

// A run with a technique that saves memory.
struct Variant {
  std::string name;  // "zero2.checkpoint_every"
  Texts texts;
};

// The run with that strategy: as it is, and with each technique that it does not use yet.
std::vector<Variant> variants_of(const Texts& texts, const std::string& strategy) {
  const bool is_on_gpu = texts.contains(names::kBackend) && texts.at(names::kBackend) == "cuda";
  const auto has = [&](const char* name, const char* none) {
    return texts.contains(name) && texts.at(name) != none;
  };
  std::vector<Variant> variants;
  for (const bool is_offloaded : {false, true}) {
    for (const bool is_checkpointed : {false, true}) {
      if ((is_offloaded && (!is_on_gpu || has("offload", "none"))) ||
          (is_checkpointed && has("checkpoint_every", "0"))) {
        continue;
      }
      Variant& variant = variants.emplace_back(Variant{strategy, texts});
      variant.texts[names::kStrategy] = strategy;
      if (is_checkpointed) {
        variant.texts["checkpoint_every"] = "1";
        variant.name += ".checkpoint_every";
      }
      if (is_offloaded) {
        variant.texts["offload"] = "optimizer";
        variant.name += ".offload";
      }
    }
  }
  return variants;
}

}  // namespace

std::vector<LargestModel> largest_models(const Texts& texts, int ranks, double bytes) {
  complete(texts, ranks);
  std::vector<LargestModel> models;
  for (const protocol::StrategyInfo& strategy : protocol::strategies()) {
    if (!strategy.is_for_memory) {
      continue;
    }
    for (const Variant& variant : variants_of(texts, std::string(strategy.name))) {
      if (const auto largest = largest_model(variant.texts, ranks, bytes)) {
        models.push_back(*largest);
        models.back().name = variant.name;
      }
    }
  }
  return models;
}

}  // namespace scalestudy::train
