// How a machine is used: machines.yaml, which says nothing of what a study asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/text/words.h"
#include "harness/yaml/problem.h"

namespace scalestudy {

enum class RankLauncher { kMpirun, kSrun };

template <>
inline constexpr std::string_view kWords<RankLauncher> = "mpirun|srun";

// One entry of `machines`. What is absent, the machine decides.
struct MachineProfile {
  std::string name;
  RankLauncher launcher = RankLauncher::kMpirun;  // srun: within a Slurm job alone
  std::string hostfile;  // of mpirun, outside of Slurm: the nodes; relative to where runs start
  std::optional<std::int64_t> cores_per_node;
  std::optional<std::int64_t> gpus_per_node;
  std::string account;
  std::string partition;
  std::string constraint;
  std::optional<double> time_limit_s;  // of a job, at most
  std::vector<std::string> sbatch;     // further options, "--exclusive"
  std::vector<std::string> setup;      // lines of a job's script before its run
};

struct ParsedMachines {
  std::vector<MachineProfile> machines;
  std::string default_name;
  std::vector<Problem> problems;  // ordered as found
};

// Never throws on the content of the text.
ParsedMachines parse_machines(const std::string& text);

// What runs on nodes need of the profile, as the only one of a machines.yaml.
std::string format_machine(const MachineProfile& machine);

// The machine that `wanted` names in machines.yaml of $XDG_CONFIG_HOME/scalestudy (else
// ~/.config/scalestudy), or, where `wanted` holds a slash or ends in .yaml, the default or only one
// of that file. With "" the default of machines.yaml; one without any values where there is none.
// Throws Error{kUsage} with every problem of the file as "file:line:col: message".
MachineProfile find_machine(const std::string& wanted);

}  // namespace scalestudy
