// Starts programs under mpirun on this machine, whatever user the tests run as.
#pragma once

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/program.h"

namespace scalestudy::test {

inline std::vector<std::string> mpirun_environment(std::vector<std::string> more) {
  // Debian's Open MPI probes for hardware that is not there without pml and btl (0.2 s a start),
  // hwloc reads PCI devices' registers (20 ms of CPU a process), and oneDNN makes kernels for
  // AVX-512 (20 ms; tests of one process have them, and those that ask for them).
  if (std::none_of(more.begin(), more.end(), [](const std::string& entry) {
        return entry.starts_with("DNNL_MAX_CPU_ISA=");
      })) {
    more.emplace_back("DNNL_MAX_CPU_ISA=AVX2");
  }
  more.insert(more.end(),
              {"OMPI_ALLOW_RUN_AS_ROOT=1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
               "OMPI_MCA_pml=ob1",
               "OMPI_MCA_btl=self,vader",
               "OMPI_MCA_mpi_yield_when_idle=1",
               "HWLOC_COMPONENTS=-pci,-linux:pci,-linux:io",
               "OMP_NUM_THREADS=1"});
  return more;
}

inline std::vector<std::string> mpirun_command(int ranks, const std::vector<std::string>& program) {
  std::vector<std::string> argv = {
      "mpirun", "-n", std::to_string(ranks), "--bind-to", "none", "--oversubscribe"};
  argv.insert(argv.end(), program.begin(), program.end());
  return argv;
}

// Ranks of `program`, each a node of its own to NCCL, which lets them share a GPU.
// source: NCCL 2.28.9, src/init.cc (Duplicate GPU) and src/misc/utils.cc (getHostHash).
inline std::vector<std::string> on_virtual_nodes(const std::vector<std::string>& program,
                                                 int ranks = 2) {
  std::vector<std::string> argv = {"mpirun", "--bind-to", "none", "--oversubscribe"};
  for (int node = 0; node < ranks; ++node) {
    if (node > 0) {
      argv.emplace_back(":");
    }
    argv.insert(argv.end(), {"-n", "1", "-x", "NCCL_HOSTID=vnode" + std::to_string(node)});
    argv.insert(argv.end(), program.begin(), program.end());
  }
  return argv;
}

// Runs it again where mpirun says that a rank left without MPI_Finalize: on a busy machine Open MPI
// 4.1 now and then says so of ranks that did not (open-mpi/ompi issue 7833). A rank that does leave
// so leaves so each time.
inline ProgramResult mpirun(int ranks,
                            const std::vector<std::string>& program,
                            const std::vector<std::string>& environment = {}) {
  ProgramResult result;
  for (int tries = 0; tries < 3; ++tries) {
    result = run_program(mpirun_command(ranks, program), mpirun_environment(environment));
    if (result.exit_code != 1 || result.err.find("exiting improperly") == std::string::npos) {
      break;
    }
  }
  return result;
}

// Whether `condition` comes true within 20 s.
template <typename Condition>
bool eventually(const Condition& condition) {
  for (int i = 0; i < 200; ++i) {
    if (condition()) {
      return true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return false;
}

inline std::vector<pid_t> children_of(pid_t parent) {
  const std::string pid = std::to_string(parent);
  std::istringstream list(read_file("/proc/" + pid + "/task/" + pid + "/children"));
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) {
    children.push_back(child);
  }
  return children;
}

}  // namespace scalestudy::test
