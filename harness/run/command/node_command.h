// Command lines that start the processes of a cell on its nodes. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/run/command/command.h"

namespace scalestudy {

// Ranks on each of the cell's nodes; a matrix has no cells but those that divide evenly.
std::int64_t per_node(const Cell& cell);

// Gives the command the first of the nodes, or says in `unsupported` that there are too few.
void choose_hosts(const Cell& cell, const Nodes& nodes, LaunchCommand& command);

// Whether processes, or some, are started by daemons of the nodes instead of below this process.
bool has_daemons(const Nodes& nodes, const LaunchCommand& command);

// mpirun or srun with the cell's ranks, bound to the command's cores_per_rank; without the program.
std::vector<std::string> rank_launcher(const Cell& cell,
                                       const Nodes& nodes,
                                       const LaunchCommand& command);

// Has mpirun pass the command's environment on, where it starts ranks on nodes.
//   launcher_words  of argv: those of mpirun and its options.
void add_exports(const Nodes& nodes, std::size_t launcher_words, LaunchCommand& command);

// Whether `placeholder` stands anywhere in it.
bool names(LaunchCommand& command, std::string_view placeholder);

// From the command of one node to one that starts it on each; setup and cleanup are run once, here.
void start_on_each(const Cell& cell, const Nodes& nodes, LaunchCommand& command);

// Every text of the command in which a placeholder may stand.
std::vector<std::string*> texts_of(LaunchCommand& command);

void replace_all(std::string& text, std::string_view what, const std::string& with);

}  // namespace scalestudy
