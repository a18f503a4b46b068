// What scalestudy can do on this machine, feature by feature, and how to get what it cannot.
#pragma once

#include <string>
#include <vector>

namespace scalestudy {

struct Feature {
  std::string name;  // "CPU training"
  bool is_there = false;
  std::string found{};  // what provides the feature or, if it is not there, what is missing
  // How to get a missing feature: on Debian, in a module environment, in a container.
  std::string debian{};
  std::string modules{};
  std::string container{};
};

// Tries each feature now: looks for programs, opens libraries, reads files.
std::vector<Feature> examine_features();

}  // namespace scalestudy
