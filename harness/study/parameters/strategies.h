// What `strategy` of a cell means for its communication and memory, for rooms that know no
// workload.
#pragma once

#include <string>

#include "workloads/parameters/parameters.h"
#include "workloads/parameters/strategies.h"

namespace scalestudy {

using protocol::Sharding;
using protocol::StrategyInfo;

// The row of the strategy in workloads/parameters/strategy_table.h; that of ddp for another word.
inline const StrategyInfo& strategy_of(const std::string& word) {
  return protocol::find_strategy(word);
}

// Whether the parameter of `train` decides how much memory a rank needs that has others beside it.
inline bool takes_memory(const std::string& parameter) {
  const protocol::ParameterInfo* info = protocol::find_parameter("train", parameter);
  return info != nullptr && info->takes_memory;
}

}  // namespace scalestudy
