// Whether others keep this machine busy, asked before time is spent on it.
#pragma once

#include <string>

#include "harness/run/world/world.h"

namespace scalestudy {

// What others take of the machine, watched for a third of a second: "other processes take 1.9 of 2
// cores (most: cc1plus 1.2, python3 0.4), ...". Empty on an idle machine: other processes take at
// most 10 % of the cores, and other virtual machines 3 %.
std::string busy_machine(const RunWorld& world);

}  // namespace scalestudy
