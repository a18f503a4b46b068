// Small models of every kind, for the training probe.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/workloads/probe.h"

namespace scalestudy::test {

// "mlp" has widths and dropout, the others are of the zoo, shrunken.
inline constexpr std::array<const char*, 6> kSmallModels = {
    "mlp", "gpt-tiny", "llama-7b", "resnet50-cifar", "lstm-332k", "gru-250k"};

inline Model network_of(const std::string& name) {
  return name == "mlp" ? Model{"24,40,17,8", "0.2"} : Model{"-", "-"};
}

inline std::vector<std::string> flags_of(const std::string& name) {
  if (name == "mlp") {
    return {};
  }
  std::vector<std::string> flags = {"--model=" + name};
  if (name.starts_with("resnet")) {
    flags.insert(flags.end(), {"--model-width=8", "--model-layers=1", "--model-image=16"});
  } else if (name.starts_with("lstm") || name.starts_with("gru")) {
    flags.insert(flags.end(), {"--model-width=32", "--model-sequence=8"});
  } else {
    flags.insert(flags.end(),
                 {"--model-layers=3",
                  "--model-width=32",
                  "--model-heads=2",
                  "--model-sequence=16",
                  "--model-vocabulary=16"});
  }
  return flags;
}

}  // namespace scalestudy::test
