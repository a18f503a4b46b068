// The models that a study can name.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "workloads/parameters/parameters.h"

namespace scalestudy::test {

// All that parameter `model` allows.
inline std::vector<std::string> named_models() {
  std::istringstream words{std::string(protocol::find_parameter("train", "model")->allowed)};
  std::vector<std::string> models;
  for (std::string model; std::getline(words, model, '|');) {
    models.push_back(model);
  }
  return models;
}

}  // namespace scalestudy::test
