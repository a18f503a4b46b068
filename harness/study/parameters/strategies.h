// What `strategy` of a cell means for its communication and memory, for rooms that know no
// workload.
#pragma once

#include <string>

#include "workloads/parameters/parameters.h"
#include "workloads/parameters/strategies.h"

namespace scalestudy {

using protocol::Sharding;
using protocol::StrategyInfo;

// The row of the strategy in workloads/parameters/strategy_table.h; that of ddp, the default, for
// an empty word. Null for any other word: only an own program can have it, and what such a
// strategy sends is not known.
inline const StrategyInfo* strategy_of(const std::string& word) {
  const StrategyInfo& found = protocol::find_strategy(word);
  return word.empty() || found.name == word ? &found : nullptr;
}

// Whether the parameter of `train` decides how much memory a rank needs if there are several.
inline bool takes_memory(const std::string& parameter) {
  const protocol::ParameterInfo* info = protocol::find_parameter("train", parameter);
  return info != nullptr && info->takes_memory;
}

}  // namespace scalestudy
