// The parameters that the harness reads itself, of a command as well.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

#include "workloads/names/names.h"
#include "workloads/parameters/parameters.h"

namespace scalestudy {

// Null for any other name. The table of `train` says what they may be. A command's batch is only
// the work of a step, which no model has to hold: times 65536 devices it still is a number.
inline const protocol::ParameterInfo* find_command_parameter(std::string_view name) {
  static const std::vector<protocol::ParameterInfo> kParameters = [] {
    std::vector<protocol::ParameterInfo> parameters;
    for (const std::string_view one :
         {names::kDevices, names::kNodes, names::kBatchGlobal, names::kBatchPerDevice}) {
      parameters.push_back(*protocol::find_parameter("train", one));
      if (one.starts_with("batch")) {
        parameters.back().allowed = "[1, 1000000000000]";
      }
    }
    return parameters;
  }();
  const auto found = std::ranges::find(kParameters, name, &protocol::ParameterInfo::name);
  return found == kParameters.end() ? nullptr : &*found;
}

}  // namespace scalestudy
