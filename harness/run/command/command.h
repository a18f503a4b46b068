// The command line of a cell, and what it depends on besides study and cell.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/run/command/interconnect.h"
#include "harness/run/world/nodes.h"

namespace scalestudy {

// Where the files of a side's commit are.
struct Checkout {
  std::filesystem::path repository;  // top folder of the repository that has the commit
  std::filesystem::path folder;      // the worktree with the files of the commit
};

// What a command line depends on besides study and cell.
struct LaunchResources {
  std::int64_t cores = 1;                // Machine::cores(); each node is taken to have as many
  std::int64_t gpus = 0;                 // Machine::gpus(); each node is taken to have as many
  std::int64_t communication_cores = 0;  // communication_cores() of each rank on the CPU
  bool is_root = false;                  // Open MPI refuses root unless told twice
  std::string program;                   // path of the workload program; not used by `command`
  std::map<std::string, Checkout> checkouts{};  // by side, for the sides that have a commit
  Nodes nodes = {};                             // find_nodes()
  bool has_several_nodes = false;               // some cell of the study runs on several nodes
  std::string link_script{};                    // path of interconnect.sh; "" if no cell has links
};

// What starts the trials of one cell.
struct LaunchCommand {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // variables set for the trial
  std::vector<std::string> unset;        // variables taken out for the trial: axes at "default"
  std::vector<std::string> setup;        // run before the trial, once; empty: nothing
  std::vector<std::string> cleanup;      // run after the trial, once; empty: nothing
  std::string working_folder;            // of setup, trial and cleanup; "": the harness's own
  std::string checkout_side;             // the side whose commit is run; "": the files as they are
  std::vector<std::string> hosts;        // names of its nodes, by rank; empty: this machine alone
  bool is_elsewhere = false;             // some of its processes do not run below the harness
  std::optional<EmulatedLinks> links{};  // links between its ranks; absent: not emulated
  std::int64_t cores_per_rank = 0;       // cores a rank is bound to; 0: unbound, or a `command`
  // First core of the rank of a control device_match, on a device other than the first; else 0.
  std::int64_t first_core = 0;
  // More ranks x threads than cores, or several ranks on a GPU. Ranks that sleep (compute declared)
  // do not count.
  bool oversubscribed = false;
  std::string unsupported;  // why this version cannot launch the cell; "" when it can
};

}  // namespace scalestudy
