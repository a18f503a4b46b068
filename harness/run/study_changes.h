// Whether the trials of a stored study go on with the study as it is now.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/run/command/command.h"
#include "harness/run/world/progress.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// What tells the study's programs now; asked where the store has sessions to compare it with.
using ProgramFacts = std::function<std::vector<EnvironmentRow>()>;

// Throws Error{kUsage} when the store has another study of that name, or its trials were placed or
// its programs were edited otherwise, and changes are not accepted; and for a search that has
// trials from before it was one.
//   commands  by hash of the cell.
void require_unchanged(const Study& study,
                       const Matrix& matrix,
                       const std::map<std::string, LaunchCommand>& commands,
                       const ProgramFacts& facts,
                       const Store& store,
                       const RunOptions& options);

}  // namespace scalestudy
