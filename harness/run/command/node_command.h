// Command lines that start the processes of a cell on its nodes. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/run/command/command.h"

namespace scalestudy {

// Ranks on each of the cell's nodes. Devices divide evenly by nodes in all cells of a matrix.
std::int64_t per_node(const Cell& cell);

// Gives the command its hosts, the first of `nodes`, or says in `unsupported` that they are too
// few.
void choose_hosts(const Cell& cell, const Nodes& nodes, LaunchCommand& command);

// Whether some processes of the command are started by daemons on the nodes, not below this
// process.
bool has_daemons(const Nodes& nodes, const LaunchCommand& command);

// The words of mpirun or srun that start the cell's ranks, each bound to the command's
// cores_per_rank; the program is to follow.
std::vector<std::string> rank_launcher(const Cell& cell,
                                       const Nodes& nodes,
                                       const LaunchCommand& command);

// Makes mpirun pass the command's environment on to ranks that daemons start on nodes.
// - launcher_words: how many of argv's words are mpirun and its options.
void add_exports(const Nodes& nodes, std::size_t launcher_words, LaunchCommand& command);

// Whether some text of the command (texts_of()) holds `placeholder`.
bool has_placeholder(LaunchCommand& command, std::string_view placeholder);

// Turns the command of one node into one that starts it on each node of the cell. Setup and cleanup
// are run once, here.
void start_on_each(const Cell& cell, const Nodes& nodes, LaunchCommand& command);

// Gives a command of ranks the study's setup and cleanup, which are run once, here.
void add_beside(const Study& study, const Cell& cell, const Nodes& nodes, LaunchCommand& command);

// Every text of the command that may hold a placeholder.
std::vector<std::string*> texts_of(LaunchCommand& command);

}  // namespace scalestudy
