// What NCCL logged and told the profiler plugin, and what a variable asked for: the log, then after
// "---8<---" the plugin's text. The first line of each is also the value of variables.
#include <sstream>

#include "harness/run/nccl/nccl_log.h"
#include "harness/run/nccl/nccl_profile.h"
#include "harness/run/nccl/nccl_settings.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  const auto [log, profile] = split(input);
  std::istringstream logged(log);
  std::istringstream told(profile);
  NcclTrace trace;
  read_nccl_log(logged, trace);
  read_nccl_profile(told, trace);
  for (const std::string& text : {log, profile}) {
    const std::string asked = text.substr(0, text.find('\n'));
    for (const char* variable : {"NCCL_ALGO",
                                 "NCCL_PROTO",
                                 "NCCL_NTHREADS",
                                 "NCCL_MIN_NCHANNELS",
                                 "NCCL_MAX_NCHANNELS",
                                 "NCCL_NVLS_ENABLE",
                                 "NCCL_P2P_LEVEL",
                                 "NCCL_P2P_DISABLE",
                                 "NCCL_P2P_NET_CHUNKSIZE",
                                 "NCCL_SHM_DISABLE",
                                 "NCCL_NET",
                                 "NCCL_IB_DISABLE",
                                 "NCCL_NET_GDR_LEVEL",
                                 "NCCL_BUFFSIZE"}) {
      const FoundSetting found = find_setting(trace, variable, asked);
      require(!found.text.empty(), "a variable has a text");
      require(!found.state || (*found.state >= -1.0 && *found.state <= 1.0), "a state is a share");
    }
  }
}
