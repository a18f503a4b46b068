// What the side of a cell changes in its command line.
#pragma once

#include "harness/run/command/command.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Makes it the command of the cell's side: files of the side's commit, its variables, its prefix.
// Changes nothing in a study without sides.
// - has_ranks: the words of a launcher precede the program, which is last.
void apply_side(const Study& study,
                const Cell& cell,
                const LaunchResources& resources,
                bool has_ranks,
                LaunchCommand& command);

}  // namespace scalestudy
