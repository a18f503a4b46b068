// Whether margins, rules and targets were declared before the trials they judge.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/observation.h"

namespace scalestudy {

// Compares the analysis section of `now` with that of the first session that ran an attempt; absent
// when they are equal, or nothing has run. Of sessions whose study text was not stored (before
// schema version 3) only the hash is known: the difference then says that.
//   sessions    of one study, in order of id
//   study_hash  of `now`
std::optional<AnalysisChange> find_analysis_change(const std::vector<SessionRow>& sessions,
                                                   const std::vector<TrialRow>& trials,
                                                   const Study& now,
                                                   const std::string& study_hash);

}  // namespace scalestudy
