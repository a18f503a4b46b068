// Runs programs on a GPU, from tests of the CUDA backend.
#pragma once

#include <filesystem>

#include "tests/workloads/gpu.h"
#include "tests/workloads/mpirun.h"

namespace scalestudy::test {

// Relative to this program's folder, tests/ of the build folder or of an installed one.
inline std::string neighbour(const std::string& name) {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path() / name).string();
}

// Ends the test as skipped without a GPU or mpirun.
inline void require_gpu_and_mpirun() {
  require_gpu();
  if (run_program({"sh", "-c", "command -v mpirun"}).exit_code != 0) {
    std::printf("skipped: there is no mpirun\n");
    std::fflush(stdout);
    std::_Exit(protocol::kExitUnsupported);
  }
}

// Ranks that share a GPU; what NCCL does not need between them is off, so that it cannot fail.
inline ProgramResult run_on_virtual_nodes(const std::vector<std::string>& program,
                                          const std::vector<std::string>& environment = {},
                                          int ranks = 2) {
  std::vector<std::string> variables = {"CUDA_VISIBLE_DEVICES=0",
                                        "NCCL_NET=Socket",
                                        "NCCL_IB_DISABLE=1",
                                        "NCCL_SOCKET_IFNAME==lo",
                                        "NCCL_MNNVL_ENABLE=0",
                                        "NCCL_RAS_ENABLE=0",
                                        "NCCL_MAX_CTAS=2",
                                        "NCCL_ALGO=Ring",
                                        "NCCL_PROTO=Simple"};
  variables.insert(variables.end(), environment.begin(), environment.end());
  return run_program(on_virtual_nodes(program, ranks), mpirun_environment(variables));
}

}  // namespace scalestudy::test
