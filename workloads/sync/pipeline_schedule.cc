#include "workloads/sync/pipeline_schedule.h"

#include <algorithm>

namespace scalestudy::sync {

std::vector<StagePass> one_forward_one_backward(std::size_t stage,
                                                std::size_t stages,
                                                std::size_t parts) {
  const std::size_t ahead = std::min(stages - 1 - stage, parts);
  std::vector<StagePass> passes;
  for (std::size_t part = 0; part < parts + ahead; ++part) {
    if (part < parts) {
      passes.push_back({.is_forward = true, .part = part});
    }
    if (part >= ahead) {
      passes.push_back({.is_forward = false, .part = part - ahead});
    }
  }
  return passes;
}

std::size_t parts_in_flight(std::size_t stage, std::size_t stages, std::size_t parts) {
  return std::min(stages - stage, parts);
}

double ideal_bubble(std::size_t stages, std::size_t parts) {
  return static_cast<double>(stages - 1) / static_cast<double>(parts + stages - 1);
}

}  // namespace scalestudy::sync
