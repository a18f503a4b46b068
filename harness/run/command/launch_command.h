// Cell -> command line and environment of its trials. Pure; the machine comes in as numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/run/command/command.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Cores that a rank on the CPU gets beside those of its threads, in every cell alike, so that cells
// are compared on equal cores: one for a thread that communicates (overlap thread) and one for one
// that reads ahead (data_prefetch), as many as some cell has of them; fewer where a cell that has
// cores enough without them would lack some: the threads share what there is then.
std::int64_t communication_cores(const std::vector<Cell>& cells, std::int64_t machine_cores);

// `train` goes under mpirun (or srun) with explicit binding, because Open MPI's default changes
// with the number of ranks, and as many ranks on each of the cell's nodes, and with save_every or
// failure under the workload's own supervisor (workloads/train/saves/supervise.h); `command` is run
// as it stands, once on each of several nodes where it names {node_rank}, with "{name}" replaced by
// the cell's values and kMasterPort left for with_free_port(). On a side with a commit, what lies
// in the repository is taken from the checkout; its variables replace the study's, and its prefix
// stands before the program of each rank.
// Throws Error{kUsage} when a "{name}" of the command has no value in the cell.
LaunchCommand launch_command(const Study& study,
                             const Cell& cell,
                             const LaunchResources& resources);

// Whether trials of the cell run on GPUs; of a `command` nobody knows: they may.
bool may_use_gpu(const Study& study, const Cell& cell);

// `command` with a port of this machine that nobody has in place of kMasterPort, wherever it
// stands.
LaunchCommand with_free_port(LaunchCommand command);

// What the trial gets as SCALESTUDY_PARAMETERS: the cell's parameters without
// `env.` ones, its links' and its side, warmup_steps and measured_steps; for `command` also
// devices, nodes and both batch sizes.
Parameters trial_parameters(const Study& study, const Cell& cell);

// Those of the harness's own variables that no trial inherits, sorted: settings of NCCL, Open MPI
// and (for built-in workloads) of OpenMP and the math libraries. A knob set in the user's shell
// would otherwise act in every arm of the study unseen; as an `env.` parameter it is part of the
// cell.
std::vector<std::string> dropped_variables(Workload workload,
                                           std::span<const std::string> inherited);

}  // namespace scalestudy
