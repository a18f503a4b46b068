// The commands of a study's cells, and whether their programs are there.
#pragma once

#include <map>
#include <string>

#include "harness/run/command/command.h"
#include "harness/run/world/world.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// The command of each cell, by the cell's hash.
// - checkouts: by side, for the sides that have a commit.
std::map<std::string, LaunchCommand> make_commands(const Study& study,
                                                   const Matrix& matrix,
                                                   std::map<std::string, Checkout> checkouts,
                                                   const RunWorld& world);

// Throws Error{kMachine}, which names them, when programs of the commands are missing or not
// executable.
void require_programs(const Study& study, const std::map<std::string, LaunchCommand>& commands);

}  // namespace scalestudy
