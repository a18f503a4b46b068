// What strategies that leave something out go with, and shares of a batch that are not equal.
#pragma once

#include <string>

#include "workloads/protocol/given_values.h"

namespace scalestudy::protocol {

// What is wrong and what to try; empty where nothing is, and for other strategies. Of a state that
// is offloaded, too.
std::string check_strategy(const GivenValues& given);

// Likewise of `shares`, which anything but equal needs whole shares of a batch for.
std::string check_shares(const GivenValues& given);

}  // namespace scalestudy::protocol
