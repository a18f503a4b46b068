// machines.yaml: how a machine is used, independent of any study.
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

// One entry of `machines`. The machine's own defaults apply to absent values.
struct MachineProfile {
  std::string name;
  RankLauncher launcher = RankLauncher::kMpirun;  // kSrun works only within a Slurm job
  std::string hostfile;  // nodes for mpirun outside of Slurm; relative to where runs start
  std::optional<std::int64_t> cores_per_node;
  std::optional<std::int64_t> gpus_per_node;
  std::string account;
  std::string partition;
  std::string constraint;
  std::optional<double> time_limit_s;  // longest time of a job
  std::vector<std::string> sbatch;     // further options of sbatch: "--exclusive"
  std::vector<std::string> setup;      // lines of a job's script before its run
};

struct ParsedMachines {
  std::vector<MachineProfile> machines;
  std::string default_name;
  std::vector<Problem> problems;  // ordered as found
};

// Reads the text of a machines.yaml. Never throws for what the text says.
ParsedMachines parse_machines(const std::string& text);

// The text of a machines.yaml with this machine alone, reduced to what runs on nodes need.
std::string format_machine(const MachineProfile& machine);

// Finds a machine in machines.yaml of $XDG_CONFIG_HOME/scalestudy (else ~/.config/scalestudy).
// - wanted: a machine's name; "" for the default of machines.yaml; or a path (with a slash or
//   ending in .yaml) to another such file, whose default or only machine is taken.
// - returns: for "" without a default, a profile without any values.
// - throws: Error{kUsage} with every problem of the file as "file:line:col: message".
MachineProfile find_machine(const std::string& wanted);

}  // namespace scalestudy
