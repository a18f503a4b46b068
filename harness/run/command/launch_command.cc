#include "harness/run/command/launch_command.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/run/command/device_place.h"
#include "harness/run/command/node_command.h"
#include "harness/run/command/side_command.h"
#include "harness/study/matrix/command.h"
#include "harness/study/parameters/interconnect.h"
#include "harness/text/text.h"
#include "workloads/names/names.h"

namespace scalestudy {
namespace {

// Threads of each rank, what runs beside a collective included; one where the workload has no such
// number.
std::int64_t threads_of(const Cell& cell) {
  if (effective_value(cell.effective, "beside") == Value(std::string("triad"))) {
    return 2;
  }
  const std::optional<Value> value = effective_value(cell.effective, "threads");
  const auto* threads = value ? std::get_if<std::int64_t>(&*value) : nullptr;
  return threads == nullptr ? 1 : *threads;
}

bool has_value(const Cell& cell, const std::string& name, const Value& value) {
  return effective_value(cell.effective, name) == value;
}

// Threads of a rank beside those that compute: one that communicates, one that reads ahead.
std::int64_t other_threads(const Cell& cell) {
  const bool has_communication = has_value(cell, names::kOverlap, std::string("thread"));
  const bool has_reading = has_value(cell, "data", std::string("file")) &&
                           !has_value(cell, "data_prefetch", std::int64_t{0});
  return (has_communication ? 1 : 0) + (has_reading ? 1 : 0);
}

bool uses_gpu(const Cell& cell) {
  return has_value(cell, names::kBackend, std::string("cuda"));
}

// A rank on a GPU also runs NCCL's proxy and the driver's threads: it gets the cores that are one
// GPU's share of the machine, the same in every cell.
std::int64_t cores_per_rank(const Cell& cell,
                            const LaunchResources& resources,
                            std::int64_t threads) {
  if (!uses_gpu(cell)) {
    return threads + resources.communication_cores;
  }
  return std::max(threads, resources.cores / std::max(resources.gpus, per_node(cell)));
}

void add_env_parameters(const Study& study, const Cell& cell, LaunchCommand& command) {
  for (const Parameters* given : {&cell.varied, &study.parameters}) {
    for (const auto& [name, value] : *given) {
      // A cell's parameters lack what is at its default.
      if (is_environment_parameter(name) && !cell.parameters.contains(name)) {
        command.environment.erase(environment_name(name));
        command.unset.push_back(environment_name(name));
      }
    }
  }
  for (const auto& [name, value] : cell.parameters) {
    if (is_environment_parameter(name)) {
      command.environment[environment_name(name)] = format_value(value);
    }
  }
}

LaunchCommand plain_command(const Study& study, const Cell& cell) {
  LaunchCommand command;
  command.argv = expand_arguments(study.command, cell);
  command.setup = expand_arguments(study.setup, cell);
  command.cleanup = expand_arguments(study.cleanup, cell);
  command.working_folder = expand_argument(study.working_folder, cell);
  for (const auto& [name, value] : study.environment) {
    command.environment[name] = expand_argument(value, cell);
  }
  return command;
}

// Starts the ranks where the command's links are.
void join_ranks(const LaunchResources& resources, LaunchCommand& command) {
  if (has_daemons(resources.nodes, command) || resources.nodes.is_slurm_job) {
    command.unsupported =
        "links are emulated on one machine alone, without Slurm or a hostfile: run it outside of "
        "them, or leave out interconnect.bandwidth";
  }
  for (const auto& [name, value] : linked_environment(*command.links)) {
    command.environment[name] = value;
  }
  command.argv = linked_launcher(*command.links, command.cores_per_rank, resources.link_script);
  command.argv.push_back(resources.program);
}

LaunchCommand rank_command(const Cell& cell, const LaunchResources& resources) {
  LaunchCommand command;
  if (has_value(cell, "offload", std::string("optimizer")) && !uses_gpu(cell)) {
    command.unsupported =
        "offload optimizer takes its state out of a GPU's memory, and that of backend cpu is the "
        "host's; use backend cuda";
  }
  choose_hosts(cell, resources.nodes, command);
  const std::int64_t threads = threads_of(cell);
  // Ranks that sleep need no core of their own, and are unbound in every cell alike.
  const bool is_asleep = has_value(cell, kCompute, std::string("declared"));
  const bool has_few_cores = per_node(cell) * threads > resources.cores;
  const bool shares_gpus = uses_gpu(cell) && resources.gpus > 0 && per_node(cell) > resources.gpus;
  command.oversubscribed = (has_few_cores && !is_asleep) || shares_gpus;
  auto& environment = command.environment;
  if (has_few_cores || is_asleep) {
    environment["OMPI_MCA_mpi_yield_when_idle"] = "1";
    environment["OMP_WAIT_POLICY"] = "passive";
    // Unbound ranks would all bind their threads to the machine's first cores.
    environment["OMP_PROC_BIND"] = "false";
  } else {
    command.cores_per_rank = cores_per_rank(cell, resources, threads);
    environment["OMP_PROC_BIND"] = "close";
    environment["OMP_PLACES"] = "cores";
  }
  environment["OMP_NUM_THREADS"] = std::to_string(threads);
  if (!resources.has_several_nodes) {
    // On one machine the probing of network transports only costs start time: 0.33 s against
    // 0.12 s. Where nodes vary every cell has the same choice of them.
    environment["OMPI_MCA_pml"] = "ob1";
    environment["OMPI_MCA_btl"] = "self,vader";
  }
  if (resources.is_root) {
    environment["OMPI_ALLOW_RUN_AS_ROOT"] = "1";
    environment["OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"] = "1";
  }
  command.links = links_of(cell);
  if (command.links) {
    join_ranks(resources, command);
    return command;
  }
  command.is_elsewhere = has_daemons(resources.nodes, command);
  choose_cores(cell, resources.cores, command);
  if (!command.is_elsewhere) {
    // Nothing is started elsewhere, but without ssh (a container) mpirun would not begin.
    environment["OMPI_MCA_plm_rsh_agent"] = "true";
  }
  command.argv = rank_launcher(cell, resources.nodes, command);
  command.argv.push_back(resources.program);
  return command;
}

// A trial that saves or fails runs under the program itself, which makes a folder for it, launches
// it again after a failure and leaves nothing. Folder and clock are this machine's.
void add_supervisor(const Cell& cell, LaunchCommand& command) {
  const std::optional<Value> every = effective_value(cell.effective, names::kSaveEvery);
  const std::optional<Value> failure = effective_value(cell.effective, "failure");
  const bool is_saved = every && *every != Value(std::int64_t{0});
  const bool fails = failure && *failure != Value(std::string("none"));
  if (!is_saved && !fails) {
    return;
  }
  if (command.is_elsewhere) {
    command.unsupported =
        "save_every and failure need the ranks where the harness is, whose folder and clock they "
        "share; run this cell without a hostfile, under mpirun";
  }
  const std::optional<Value> folder = effective_value(cell.effective, "save_dir");
  command.argv.insert(
      command.argv.begin(),
      {command.argv.back(), "--supervise", folder ? format_value(*folder) : std::string()});
}

// As the system gives it away; 0 when it has none. Another program may take it before the trial
// does: a trial that finds it taken fails, and its next attempt gets another.
int find_free_port() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);  // NOLINT: as the interface wants it
  const bool is_bound = descriptor >= 0 && bind(descriptor, generic, length) == 0 &&
                        getsockname(descriptor, generic, &length) == 0;
  close(descriptor);
  return is_bound ? ntohs(address.sin_port) : 0;
}

}  // namespace

bool may_use_gpu(const Study& study, const Cell& cell) {
  return study.workload == Workload::kCommand ? !study.is_remote() : uses_gpu(cell);
}

LaunchCommand with_free_port(LaunchCommand command) {
  std::string port;
  for (std::string* text : texts_of(command)) {
    if (text->find(kMasterPort) != std::string::npos) {
      port = port.empty() ? std::to_string(find_free_port()) : port;
      replace_all(*text, kMasterPort, port);
    }
  }
  return command;
}

LaunchCommand with_trial_folder(LaunchCommand command, const std::string& folder) {
  for (std::string* text : texts_of(command)) {
    replace_all(*text, kTrialFolder, folder);
  }
  return command;
}

std::int64_t communication_cores(const std::vector<Cell>& cells, std::int64_t machine_cores) {
  std::int64_t wanted = 0;
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  for (const Cell& cell : cells) {
    wanted = std::max(wanted, other_threads(cell));
    const std::int64_t cores = per_node(cell) * threads_of(cell);
    if (!uses_gpu(cell) && cores <= machine_cores) {
      room = std::min(room, (machine_cores - cores) / per_node(cell));
    }
  }
  return std::min(wanted, room);
}

LaunchCommand launch_command(const Study& study,
                             const Cell& cell,
                             const LaunchResources& resources) {
  const Nodes& nodes = resources.nodes;
  const bool has_ranks = study.workload != Workload::kCommand;
  LaunchCommand command = has_ranks ? rank_command(cell, resources) : plain_command(study, cell);
  const std::size_t launcher_words = has_ranks ? command.argv.size() - 1 : 0;
  apply_side(study, cell, resources, has_ranks, command);
  if (has_ranks) {
    add_env_parameters(study, cell, command);
    if (uses_gpu(cell)) {
      choose_gpu(cell, resources.gpus, command);
    }
    add_exports(nodes, launcher_words, command);
    add_supervisor(cell, command);
    add_beside(study, cell, nodes, command);
    return command;
  }
  add_env_parameters(study, cell, command);
  if (study.is_remote()) {
    command.is_elsewhere = true;
    return command;
  }
  choose_hosts(cell, nodes, command);
  const auto known = std::max<std::int64_t>(std::ssize(command.hosts), 1);
  command.oversubscribed = cell.devices > known * std::max(resources.cores, resources.gpus);
  for (std::string* text : texts_of(command)) {
    replace_all(*text, kMasterAddress, nodes.master_addr);
  }
  if (has_placeholder(command, kNodeRank)) {
    start_on_each(cell, nodes, command);
  } else {
    command.unsupported.clear();  // it is started once, and reaches its nodes by itself
  }
  return command;
}

Parameters trial_parameters(const Study& study, const Cell& cell) {
  Parameters parameters;
  for (const auto& [name, value] : cell.parameters) {
    const bool is_side = name == kSideParameter && !study.sides.empty();
    const bool is_of_links =
        study.workload != Workload::kCommand && find_interconnect_parameter(name) != nullptr;
    const bool is_own = is_own_parameter(study.workload, name);  // setup's, or the place of a rank
    if (!is_environment_parameter(name) && !is_side && !is_of_links && !is_own) {
      parameters.emplace(name, value);
    }
  }
  parameters[names::kWarmupSteps] = std::int64_t{study.steps.warmup};
  if (!study.steps.is_open) {
    parameters[names::kMeasuredSteps] = std::int64_t{study.steps.measured};
    if (study.workload == Workload::kTrain) {
      parameters.erase(names::kEpochs);  // of a confirm run, which is one step
    }
    if (study.steps.measured == 1) {
      parameters.erase("sync_every");  // which then ends with the average of local_sgd
    }
  }
  if (study.steps.has_times()) {
    parameters[names::kWarmupTime] = study.steps.warmup_time_s;
    parameters[names::kMeasuredTime] = study.steps.measured_time_s;
  }
  if (study.workload == Workload::kCommand) {
    parameters.emplace(names::kDevices, cell.devices);
    parameters.emplace(names::kNodes, cell.nodes);
    if (cell.batch_global) {
      parameters.emplace(names::kBatchGlobal, *cell.batch_global);
    }
    if (cell.batch_per_device) {
      parameters.emplace(names::kBatchPerDevice, *cell.batch_per_device);
    }
  }
  return parameters;
}

std::vector<std::string> dropped_variables(Workload workload,
                                           std::span<const std::string> inherited) {
  // OMPI_ and PMIX_ also hold the identity of an outer MPI job, which an inner mpirun would take
  // for its own.
  std::vector<std::string_view> prefixes{"NCCL_", "OMPI_", "PMIX_", "PRTE_"};
  if (workload != Workload::kCommand) {
    prefixes.insert(prefixes.end(),
                    {"OMP_",
                     "GOMP_",
                     "KMP_",
                     "OPENBLAS_",
                     "DNNL_",
                     "ONEDNN_",
                     "CUBLAS_",
                     "CUDNN_",
                     "NVIDIA_TF32_"});
  }
  std::vector<std::string> dropped;
  for (const std::string& name : inherited) {
    if (std::any_of(prefixes.begin(), prefixes.end(), [&name](std::string_view prefix) {
          return name.starts_with(prefix);
        })) {
      dropped.push_back(name);
    }
  }
  std::sort(dropped.begin(), dropped.end());
  return dropped;
}

}  // namespace scalestudy
