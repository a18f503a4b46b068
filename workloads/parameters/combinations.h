// Which values of a workload's parameters cannot go together, once: the study parser checks cells
// against it, the workloads what they were started with.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scalestudy::protocol {

// Why these values cannot go together and what to change, one sentence that begins with the
// parameter at fault; empty when they can.
//   values  parameter -> canonical text, each allowed by itself, defaults included. Both batches
//   are
//           known where one is; `env.NAME` where the study gives it.
std::string check_combination(std::string_view workload,
                              const std::map<std::string, std::string>& values);

}  // namespace scalestudy::protocol
