// Exit codes of a workload program, from which the harness tells how a trial ended.
#pragma once

namespace scalestudy::protocol {

inline constexpr int kExitOk = 0;      // the output file ends with `end`, ok true
inline constexpr int kExitFailed = 1;  // anything not below
inline constexpr int kExitUsage = 2;   // a flag or parameter is wrong; another try will not help
// This machine or build cannot do it (Automake's "skip").
inline constexpr int kExitUnsupported = 77;
inline constexpr int kExitOutOfMemory = 79;  // host or device memory; not EX_CONFIG (78)

}  // namespace scalestudy::protocol
