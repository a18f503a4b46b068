// The nodes that the trials of a run may have.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/study/parameters/machine_profile.h"

namespace scalestudy {

struct Nodes {
  std::vector<std::string> hosts{};  // names by node rank; empty: this machine alone
  RankLauncher launcher = RankLauncher::kMpirun;
  bool is_slurm_job = false;              // hosts are those of the job that this process is in
  std::string hostfile{};                 // file that hosts were read from, for mpirun; "": none
  std::string master_addr = "127.0.0.1";  // address of the first node, for the others
};

// "n[0-1,03],gpu7" as Slurm writes it: n0 n1 n03 gpu7. Absent for what is no such list, or names
// more than 65536 nodes.
std::optional<std::vector<std::string>> expand_node_list(const std::string& text);

// Names in a hostfile of Open MPI, each once, in its order: the first word of each line that is no
// comment.
std::vector<std::string> read_hostfile(const std::string& text);

// The nodes of the Slurm job that `environment` tells of, else those of the machine's hostfile,
// else this machine alone.
// - environment: inherited variables, by name.
// - throws: Error{kUsage} for a hostfile that cannot be read or names no node, and for launcher
//   srun outside of a job.
Nodes find_nodes(const MachineProfile& machine,
                 const std::map<std::string, std::string>& environment,
                 const std::string& own_host);

// The environment of this process: values by name.
std::map<std::string, std::string> inherited_variables();

}  // namespace scalestudy
