// The commands of a study's cells, and whether their programs are there.
#pragma once

#include <map>
#include <string>

#include "harness/run/command/command.h"
#include "harness/run/world/world.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// One command a cell, by hash. `checkouts`: by the sides that have a commit.
std::map<std::string, LaunchCommand> make_commands(const Study& study,
                                                   const Matrix& matrix,
                                                   std::map<std::string, Checkout> checkouts,
                                                   const RunWorld& world);

// Throws Error{kMachine} for a program that is missing or not executable: before any trial.
void require_programs(const Study& study, const std::map<std::string, LaunchCommand>& commands);

}  // namespace scalestudy
