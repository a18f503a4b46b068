// What of the study was another when its trials were run: whether margins, rules and targets were
// declared before the trials they judge, and whether trials are of one command.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"

namespace scalestudy {

// trial_difference of the study as `session` ran it to `now`: "steps.measured: 10 -> 20". Absent
// where it was another study that was not stored (before schema version 3).
//   study_hash  of `now`
std::optional<std::vector<std::string>> find_trial_change(const SessionRow& session,
                                                          const Study& now,
                                                          const std::string& study_hash);

// Ids of the study's attempts whose logs were read again, the last time by its extract rules.
std::set<std::int64_t> find_read_again(const Store& store,
                                       std::int64_t study_id,
                                       const Study& study);

// Of an attempt: its session's trial_changes, less extract rules that have read its logs again
// since.
std::optional<std::vector<std::string>> trial_change(const TrialRow& trial,
                                                     const StudyObservation& observation);

// Compares the analysis section of `now` with that of the first session that ran an attempt; absent
// when they are equal, or nothing has run. Of sessions whose study text was not stored (before
// schema version 3) only the hash is known: the difference then says that.
//   sessions    of one study, in order of id
//   study_hash  of `now`
std::optional<AnalysisChange> find_analysis_change(const std::vector<SessionRow>& sessions,
                                                   const std::vector<TrialRow>& trials,
                                                   const Study& now,
                                                   const std::string& study_hash);

// changed_study, a warning where cells hold trials whose trial changes differ: what each of their
// sessions ran otherwise.
std::vector<ThreatRow> changed_study_threats(const StudyObservation& observation,
                                             const Study& study);

}  // namespace scalestudy
