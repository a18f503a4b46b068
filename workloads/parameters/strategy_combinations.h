// Checks what the strategies of `train`, offloading and unequal shares of a batch go with.
#pragma once

#include <map>
#include <string>

#include "workloads/parameters/given_values.h"

namespace scalestudy::protocol {

// What is wrong with the strategy, or with an offloaded state, and what to try; empty if nothing
// is.
// - values: the values given, for the shape of the model.
std::string check_strategy(const GivenValues& given,
                           const std::map<std::string, std::string>& values);

// What is wrong with `shares` and what to try; empty if nothing is. Weights need whole shares of a
// batch.
std::string check_shares(const GivenValues& given);

}  // namespace scalestudy::protocol
