// What strategies that leave something out go with, and shares of a batch that are not equal.
#pragma once

#include <map>
#include <string>

#include "workloads/parameters/given_values.h"

namespace scalestudy::protocol {

// What is wrong and what to try; empty where nothing is, and for other strategies. Of a state that
// is offloaded, too.
//   values  those given, for the shape of the model.
std::string check_strategy(const GivenValues& given,
                           const std::map<std::string, std::string>& values);

// Likewise of `shares`, which anything but equal needs whole shares of a batch for.
std::string check_shares(const GivenValues& given);

}  // namespace scalestudy::protocol
