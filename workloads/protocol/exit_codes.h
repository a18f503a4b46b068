// Exit codes of a workload program: what the harness makes of a trial's end.
#pragma once

namespace scalestudy::protocol {

inline constexpr int kExitOk = 0;      // the output file ends with `end`, ok true
inline constexpr int kExitFailed = 1;  // anything not below
inline constexpr int kExitUsage = 2;   // a flag or parameter is wrong; another try will not help
inline constexpr int kExitUnsupported =
    77;  // this machine or build cannot do it (Automake's "skip")
inline constexpr int kExitOutOfMemory = 79;  // host or device memory; not EX_CONFIG (78)

}  // namespace scalestudy::protocol
