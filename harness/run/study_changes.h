// Whether the trials of a stored study go on with the study as it is now.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "harness/run/command/command.h"
#include "harness/run/world/progress.h"
#include "harness/store/store.h"
#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"

namespace scalestudy {

// Gives the facts of the study's programs as they are now. Called only if the store has a session
// to compare them with.
using ProgramFacts = std::function<std::vector<EnvironmentRow>()>;

// The trials of the stored study, none if there is no such study, and the plan that is run
// (plan_to_run).
struct KnownTrials {
  const std::vector<TrialRow>& all;
  const std::string& plan;
};

// Sessions of the stored study that ran another command than this study, or other steps, or read
// its output otherwise: neither how their attempts ended nor how long they took says anything about
// this one.
std::set<std::int64_t> earlier_sessions(const Study& study,
                                        const Store& store,
                                        std::int64_t study_id);

// Checks that trials of this study may join those in the store.
// - commands: by the cell's hash.
// - throws: Error{kUsage} if they are imported, or for a search that has trials from before it was
//   one. If changes are not accepted, also when the stored study of that name differs, its ranks
//   had other cores, or its programs have been edited since. If no trial is left to run, an edited
//   program is refused only if the answer is judged, and told otherwise.
void require_unchanged(const Study& study,
                       const Matrix& matrix,
                       const std::map<std::string, LaunchCommand>& commands,
                       const ProgramFacts& facts,
                       const KnownTrials& trials,
                       const Store& store,
                       const RunOptions& options);

// The part of require_unchanged() that needs nothing but the study: why `run` refuses it without
// --accept-changes; "" if it does not.
std::string changed_text(const Study& declared, const Store& store);

// Throws Error{kUsage} with changed_text(), or if the trials are imported; for a run that is about
// to wait.
void require_unchanged_text(const Study& declared, const Store& store);

}  // namespace scalestudy
