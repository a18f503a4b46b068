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

// Cores that a rank on the CPU gets beside those of its threads: one for a thread that communicates
// (overlap thread) and one for a thread that reads ahead (data_prefetch), if some cell has it.
// Every cell gets as many, so that cells are compared on equal cores. Fewer if some cell would
// otherwise lack cores that it has without them; the threads then share what there is.
std::int64_t communication_cores(const std::vector<Cell>& cells, std::int64_t machine_cores);

// The command line and environment of a cell's trials.
// - `train` is started by mpirun (or srun), with as many ranks on each of the cell's nodes. Binding
//   is explicit, because Open MPI's default changes with the number of ranks. With save_every or
//   failure it runs under the workload's own supervisor (workloads/train/saves/supervise.h).
// - `command` is run as it is written, with "{name}" replaced by the cell's values;
//   kMasterPort and kTrialFolder are left for with_free_port() and with_trial_folder(); once on
//   each of several nodes if it names {node_rank}.
// - On a side with a commit, files of the repository are taken from the checkout. A side's
//   variables replace the study's, and its prefix precedes the program of each rank.
// - throws: Error{kUsage} when a "{name}" of the command has no value in the cell.
LaunchCommand launch_command(const Study& study,
                             const Cell& cell,
                             const LaunchResources& resources);

// Whether trials of the cell may run on GPUs; always true for a `command`, since nobody knows.
bool may_use_gpu(const Study& study, const Cell& cell);

// `command` with every kMasterPort replaced by a free port of this machine.
LaunchCommand with_free_port(LaunchCommand command);

// `command` with every kTrialFolder replaced by this folder.
LaunchCommand with_trial_folder(LaunchCommand command, const std::string& folder);

// What the trial gets as SCALESTUDY_PARAMETERS: the cell's parameters except `env.` ones, its
// links' and its side, and warmup_steps and measured_steps; for `command` also devices, nodes and
// both batch sizes.
Parameters trial_parameters(const Study& study, const Cell& cell);

// The names among `inherited`, the harness's own variables, that no trial inherits, sorted:
// settings of NCCL, Open MPI and (for built-in workloads) of OpenMP and the math libraries. A knob
// set in the user's shell would otherwise act in the whole study unseen; as an `env.` parameter it
// is part of the cell.
std::vector<std::string> dropped_variables(Workload workload,
                                           std::span<const std::string> inherited);

}  // namespace scalestudy
