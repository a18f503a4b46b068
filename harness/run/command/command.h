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

// The files of a commit.
struct Checkout {
  std::filesystem::path repository;  // the top folder of the repository that it is from
  std::filesystem::path folder;      // where the same files are as of the commit
};

// What a command line depends on besides study and cell.
struct LaunchResources {
  std::int64_t cores = 1;                // Machine::cores(), which each node is taken to have
  std::int64_t gpus = 0;                 // Machine::gpus(), likewise
  std::int64_t communication_cores = 0;  // of each rank on the CPU; communication_cores()
  bool is_root = false;                  // Open MPI refuses root unless told twice
  std::string program;                   // path of the workload program; not used by `command`
  std::map<std::string, Checkout> checkouts{};  // by the sides of the study that have a commit
  Nodes nodes = {};                             // find_nodes()
  bool has_several_nodes = false;               // some cell of the study has
  std::string link_script{};  // path of interconnect.sh, where some cell has links
};

struct LaunchCommand {
  std::vector<std::string> argv;
  std::map<std::string, std::string> environment;  // set for the trial
  std::vector<std::string> unset;                  // taken out: axes at "default"
  std::vector<std::string> setup;        // of a `command`: run before the trial; empty: nothing
  std::vector<std::string> cleanup;      // and after it
  std::string working_folder;            // of all three; "": the harness's
  std::string checkout_side;             // whose commit it is of; "": the files as they are
  std::vector<std::string> hosts;        // of its nodes, by node rank; empty: this machine alone
  bool is_elsewhere = false;             // its processes, or some, are not this process's to count
  std::optional<EmulatedLinks> links{};  // between its ranks
  std::int64_t cores_per_rank = 0;       // that each is bound to; 0: unbound, or of a `command`
  std::int64_t first_core = 0;  // of these, where the one rank is on a device that is not the first
  bool oversubscribed = false;  // more ranks x threads than cores, or several ranks on a GPU;
                                // not of ranks that sleep (compute declared)
  std::string unsupported;      // why this version cannot launch the cell; "" when it can
};

}  // namespace scalestudy
