#include "harness/run/command/node_command.h"

#include <algorithm>

#include <fmt/format.h>

#include "harness/study/matrix/command.h"
#include "harness/text/shell_word.h"
#include "harness/text/text.h"

namespace scalestudy {
namespace {

// "n0:2,n1:2": two slots on each.
std::string host_slots(const LaunchCommand& command, std::int64_t slots) {
  std::vector<std::string> texts;
  for (const std::string& host : command.hosts) {
    texts.push_back(fmt::format("{}:{}", host, slots));
  }
  return join(texts, ",");
}

void append(std::vector<std::string>& arguments, std::vector<std::string> more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
}

// Without binding and ranks.
std::vector<std::string> srun_on(const LaunchCommand& command, const char* mpi) {
  return {"srun",
          "--overlap",  // beside the step that the harness may be
          fmt::format("--mpi={}", mpi),
          fmt::format("--nodes={}", command.hosts.size()),
          "--nodelist=" + join(command.hosts, ","),
          "--kill-on-bad-exit=1"};
}

std::vector<std::string> mpirun_on(const Nodes& nodes,
                                   const LaunchCommand& command,
                                   std::int64_t slots) {
  std::vector<std::string> arguments{"--host", host_slots(command, slots)};
  if (!nodes.hostfile.empty()) {
    arguments.insert(arguments.begin(), {"--hostfile", nodes.hostfile});
  }
  return arguments;
}

// "2,3": by the order in which ranks get cores, which mpirun counts them in.
std::string core_list(const LaunchCommand& command) {
  std::vector<std::string> cores;
  for (std::int64_t i = 0; i < command.cores_per_rank; ++i) {
    cores.push_back(std::to_string(command.first_core + i));
  }
  return join(cores, ",");
}

// mpirun gives daemons that ssh starts none of its environment but what -x names, and OMPI_ itself.
std::vector<std::string> exports(const LaunchCommand& command) {
  std::vector<std::string> arguments;
  for (const char* name : {"SCALESTUDY_PARAMETERS",
                           "SCALESTUDY_OUTPUT",
                           "SCALESTUDY_STUDY",
                           "SCALESTUDY_CELL",
                           "SCALESTUDY_TRIAL",
                           "SCALESTUDY_BLOCK",
                           "SCALESTUDY_ATTEMPT",
                           "SCALESTUDY_STORE",
                           "SCALESTUDY_SESSION"}) {
    append(arguments, {"-x", name});
  }
  for (const auto& [name, value] : command.environment) {
    if (!name.starts_with("OMPI_")) {
      append(arguments, {"-x", name});
    }
  }
  return arguments;
}

// `text` as a word of a script in which $node_rank is known.
std::string node_word(std::string text) {
  std::string word;
  for (std::size_t at = text.find(kNodeRank); at != std::string::npos; at = text.find(kNodeRank)) {
    word += (at > 0 ? shell_word(text.substr(0, at)) : "") + "\"$node_rank\"";
    text.erase(0, at + std::string_view(kNodeRank).size());
  }
  return text.empty() && !word.empty() ? word : word + shell_word(text);
}

// What each node runs: the command with its own {node_rank}. Samples are read from the first node's
// output; what others print to stdout is kept in a file of their own.
std::string node_script(const LaunchCommand& command, bool has_mpi_job) {
  std::string script =
      has_mpi_job
          // An MPI program of the user's own must not take itself for a rank of this mpirun.
          ? "node_rank=$OMPI_COMM_WORLD_RANK; unset $(env | sed -n "
            "'s/^\\(\\(OMPI\\|PMIX\\|ORTE\\)_[A-Za-z0-9_]*\\)=.*/\\1/p'); "
          : "node_rank=$SLURM_PROCID; ";
  script += "[ \"$node_rank\" = 0 ] || exec >\"${SCALESTUDY_OUTPUT%/*}/stdout.node$node_rank\"; ";
  for (const std::string& name : command.unset) {
    script += "unset " + name + "; ";  // a node's login may set it
  }
  for (const auto& [name, value] : command.environment) {
    if (value.find(kNodeRank) != std::string::npos) {
      script += fmt::format("export {}={}; ", name, node_word(value));
    }
  }
  script += "exec";
  for (const std::string& argument : command.argv) {
    script += " " + node_word(argument);
  }
  return script;
}

}  // namespace

std::int64_t per_node(const Cell& cell) {
  return cell.devices / cell.nodes;
}

void choose_hosts(const Cell& cell, const Nodes& nodes, LaunchCommand& command) {
  const auto known = std::max<std::size_t>(nodes.hosts.size(), 1);
  if (static_cast<std::size_t>(cell.nodes) > known) {
    command.unsupported = fmt::format(
        "nodes is {}, and this run has {}: run it in a Slurm job of {} (`scalestudy submit` makes "
        "one), or with --machine NAME and its hostfile",
        cell.nodes,
        known,
        cell.nodes);
    return;
  }
  command.hosts.assign(
      nodes.hosts.begin(),
      nodes.hosts.begin() + std::min<std::ptrdiff_t>(cell.nodes, std::ssize(nodes.hosts)));
}

bool has_daemons(const Nodes& nodes, const LaunchCommand& command) {
  return command.hosts.size() > 1 || !nodes.hostfile.empty() ||
         nodes.launcher == RankLauncher::kSrun;
}

std::vector<std::string*> texts_of(LaunchCommand& command) {
  std::vector<std::string*> texts{&command.working_folder};
  for (auto* arguments : {&command.argv, &command.setup, &command.cleanup}) {
    for (std::string& argument : *arguments) {
      texts.push_back(&argument);
    }
  }
  for (auto& [name, value] : command.environment) {
    texts.push_back(&value);
  }
  return texts;
}

bool has_placeholder(LaunchCommand& command, std::string_view placeholder) {
  return std::ranges::any_of(texts_of(command), [&](const std::string* text) {
    return text->find(placeholder) != std::string::npos;
  });
}

void start_on_each(const Cell& cell, const Nodes& nodes, LaunchCommand& command) {
  for (auto* beside : {&command.setup, &command.cleanup}) {
    for (std::string& argument : *beside) {
      replace_all(argument, kNodeRank, "0");
    }
  }
  replace_all(command.working_folder, kNodeRank, "0");
  const std::string script = node_script(command, !nodes.is_slurm_job);
  const std::string count = std::to_string(cell.nodes);
  if (nodes.is_slurm_job) {
    command.argv = srun_on(command, "none");
    append(command.argv, {"--ntasks=" + count, "--ntasks-per-node=1", "--cpu-bind=none"});
  } else {
    command.argv = {"mpirun", "-n", count};
    append(command.argv, mpirun_on(nodes, command, 1));
    append(command.argv, {"--map-by", "ppr:1:node", "--bind-to", "none"});
    append(command.argv, exports(command));
  }
  append(command.argv, {"sh", "-c", script});
  command.is_elsewhere = true;
}

void add_beside(const Study& study, const Cell& cell, const Nodes& nodes, LaunchCommand& command) {
  command.setup = expand_arguments(study.setup, cell);
  command.cleanup = expand_arguments(study.cleanup, cell);
  for (auto* beside : {&command.setup, &command.cleanup}) {
    for (std::string& argument : *beside) {
      replace_all(argument, kNodeRank, "0");
      replace_all(argument, kMasterAddress, nodes.master_addr);
    }
  }
}

std::vector<std::string> rank_launcher(const Cell& cell,
                                       const Nodes& nodes,
                                       const LaunchCommand& command) {
  const std::int64_t cores = command.cores_per_rank;
  const std::string count = std::to_string(cell.devices);
  const std::string on_node = std::to_string(per_node(cell));
  if (nodes.launcher == RankLauncher::kSrun) {
    std::vector<std::string> arguments = srun_on(command, "pmix");
    append(arguments,
           {"--ntasks=" + count, "--ntasks-per-node=" + on_node, "--distribution=block:block"});
    append(arguments,
           cores == 0 ? std::vector<std::string>{"--overcommit", "--cpu-bind=none"}
                      : std::vector<std::string>{fmt::format("--cpus-per-task={}", cores),
                                                 "--cpu-bind=cores"});
    return arguments;
  }
  std::vector<std::string> arguments{"mpirun", "-n", count};
  std::string mapping = "slot";
  if (nodes.hosts.size() > 1 || !nodes.hostfile.empty()) {
    append(arguments, mpirun_on(nodes, command, per_node(cell)));
    mapping = "ppr:" + on_node + ":node";
  }
  if (cores == 0) {
    append(arguments, {"--oversubscribe", "--bind-to", "none"});
    append(arguments,
           mapping == "slot" ? std::vector<std::string>()
                             : std::vector<std::string>{"--map-by", mapping});
  } else if (command.first_core > 0) {
    append(arguments, {"--cpu-list", core_list(command), "--bind-to", "cpu-list"});
  } else {
    append(arguments, {"--bind-to", "core", "--map-by", fmt::format("{}:PE={}", mapping, cores)});
  }
  return arguments;
}

void add_exports(const Nodes& nodes, std::size_t launcher_words, LaunchCommand& command) {
  if (has_daemons(nodes, command) && nodes.launcher == RankLauncher::kMpirun) {
    const std::vector<std::string> names = exports(command);
    command.argv.insert(command.argv.begin() + static_cast<std::ptrdiff_t>(launcher_words),
                        names.begin(),
                        names.end());
  }
}

}  // namespace scalestudy
