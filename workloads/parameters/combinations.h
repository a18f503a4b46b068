// The one place that knows which values of a workload's parameters cannot go together: the study
// parser checks cells here, the workloads check what they were started with.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace scalestudy::protocol {

// Why these values cannot go together and what to change, one sentence that begins with the
// parameter at fault; empty when they can.
// - values: parameter -> canonical text, each allowed by itself, defaults included. Both batches
//   are known if one is; `env.NAME` is there if the study gives it.
std::string check_combination(std::string_view workload,
                              const std::map<std::string, std::string>& values);

// Why nothing reads the parameter beside these values: "without data: file", "with failure: none".
// Empty if something does, or may.
// - values: as above.
std::string unread_reason(std::string_view workload,
                          std::string_view parameter,
                          const std::map<std::string, std::string>& values);

}  // namespace scalestudy::protocol
