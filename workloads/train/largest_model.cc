#include "workloads/train/largest_model.h"

#include <array>
#include <optional>

#include "workloads/rank/error.h"
#include "workloads/train/memory.h"
#include "workloads/train/pipeline.h"

namespace scalestudy::train {
namespace {

constexpr std::size_t kMostLayers = 64;  // of the parameter model.layers

std::optional<Options> options_of(Texts texts, int ranks, std::size_t layers) {
  texts["model.layers"] = std::to_string(layers);
  try {
    return make_options(complete(texts, ranks));
  } catch (const rank::WorkloadError&) {
    return std::nullopt;
  }
}

// Memory grows with layers, of which a pipeline has one for each stage at least. nullopt where the
// parameters go with no number of them.
std::optional<LargestModel> largest_of(const Texts& texts, int ranks, double bytes) {
  std::size_t fits = 0;
  while (!options_of(texts, ranks, fits + 1)) {
    if (++fits == kMostLayers) {
      return std::nullopt;
    }
  }
  LargestModel found{.strategy = texts.at("strategy")};
  std::size_t beyond = kMostLayers + 1;
  while (fits + 1 < beyond) {
    const std::size_t layers = (fits + beyond) / 2;
    const std::optional<Options> options = options_of(texts, ranks, layers);
    const std::size_t needed = options ? estimate_memory(of_largest_rank(*options)).total() : 0;
    if (!options || static_cast<double>(needed) > bytes) {
      beyond = layers;
    } else {
      fits = layers;
      found.layers = layers;
      found.parameters = model::parameter_count(options->model);
      found.memory_bytes = needed;
    }
  }
  return found;
}

}  // namespace

std::vector<LargestModel> largest_models(const Texts& texts, int ranks, double bytes) {
  complete(texts, ranks);
  std::vector<LargestModel> models;
  for (const char* strategy : std::array{"ddp", "zero1", "zero2", "fsdp", "pipeline"}) {
    Texts other = texts;
    other["strategy"] = strategy;
    if (const auto largest = largest_of(other, ranks, bytes)) {
      models.push_back(*largest);
    }
  }
  return models;
}

}  // namespace scalestudy::train
