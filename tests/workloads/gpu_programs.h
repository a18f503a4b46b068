// Runs programs on a GPU, from tests of the CUDA backend.
#pragma once

#include <algorithm>
#include <filesystem>

#include "tests/support/catch.h"
#include "tests/workloads/gpu.h"
#include "tests/workloads/probe_output.h"
#include "tests/workloads/training_ranks.h"

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
inline const std::vector<std::string> kOneGpu = {"CUDA_VISIBLE_DEVICES=0",
                                                 "NCCL_NET=Socket",
                                                 "NCCL_IB_DISABLE=1",
                                                 "NCCL_SOCKET_IFNAME==lo",
                                                 "NCCL_MNNVL_ENABLE=0",
                                                 "NCCL_RAS_ENABLE=0",
                                                 "NCCL_MAX_CTAS=2",
                                                 "NCCL_ALGO=Ring",
                                                 "NCCL_PROTO=Simple"};

inline ProgramResult run_on_virtual_nodes(const std::vector<std::string>& program,
                                          const std::vector<std::string>& environment = {},
                                          int ranks = 2) {
  std::vector<std::string> variables = kOneGpu;
  variables.insert(variables.end(), environment.begin(), environment.end());
  return run_program(on_virtual_nodes(program, ranks), mpirun_environment(variables));
}

using Flags = std::vector<std::string>;

inline Flags joined(Flags flags, const Flags& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

// What each rank of the training probe wrote.
// - arguments: "16,32,4" with its dropout, or a model, then flags
// - on_nodes: each rank is a node of its own to NCCL
inline std::vector<Probe> train(int ranks, bool on_nodes, const Flags& arguments) {
  const TemporaryFolder folder;
  const Flags program = {neighbour("training_probe")};
  train_on(ranks,
           on_nodes ? on_virtual_nodes(program, ranks) : mpirun_command(ranks, program),
           on_nodes ? kOneGpu : Flags(),
           joined({folder.file("probe")}, arguments));
  return read_probes(folder.file("probe"), ranks);
}

// Three steps, of 24 samples where `network` names no batch, on GPUs each rank on a node of its
// own.
inline std::vector<Probe> train_three_steps(int ranks,
                                            const Flags& network,
                                            const Flags& flags,
                                            bool has_gpu = true) {
  Flags arguments = joined(network, {"--warmup-steps=0", "--measured-steps=3"});
  if (std::ranges::none_of(
          network, [](const std::string& flag) { return flag.starts_with("--batch-global="); })) {
    arguments.emplace_back("--batch-global=24");
  }
  arguments = joined(std::move(arguments), flags);
  return train(ranks, has_gpu, has_gpu ? joined(arguments, {"--backend=cuda"}) : arguments);
}

}  // namespace scalestudy::test
