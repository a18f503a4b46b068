// Runs programs on a GPU, from tests of the CUDA backend.
#pragma once

#include <filesystem>

#include "tests/support/catch.h"
#include "tests/workloads/gpu.h"
#include "tests/workloads/mpirun.h"
#include "tests/workloads/probe_output.h"

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

using Flags = std::vector<std::string>;

inline Flags joined(Flags flags, const Flags& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

// What each rank of the training probe wrote; on GPUs each is a node of its own to NCCL.
//   network  "16,32,4" with its dropout, or a model, then flags.
inline std::vector<Probe> train_three_steps(int ranks,
                                            const Flags& network,
                                            const Flags& flags,
                                            bool has_gpu = true) {
  const TemporaryFolder folder;
  Flags program =
      joined({neighbour("training_probe"), folder.file("probe")},
             joined(network, {"--batch-global=24", "--warmup-steps=0", "--measured-steps=3"}));
  program = joined(std::move(program), flags);
  const ProgramResult result =
      has_gpu ? run_on_virtual_nodes(joined(program, {"--backend=cuda"}), {}, ranks)
              : mpirun(ranks, program);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return read_probes(folder.file("probe"), ranks);
}

}  // namespace scalestudy::test
