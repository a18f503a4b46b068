// How the study has changed since its trials were run: whether margins, rules and targets were
// declared before the trials they judge, and whether all trials ran the same command.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/analysis/observe/observation.h"
#include "harness/store/store.h"

namespace scalestudy {

// trial_difference from the study as `session` ran it to `now`: "steps.measured: 10 -> 20". Absent
// if the study has changed and its earlier text was not stored (before schema version 3).
// - study_hash: the hash of `now`.
std::optional<std::vector<std::string>> find_trial_change(const SessionRow& session,
                                                          const Study& now,
                                                          const std::string& study_hash);

// Ids of the study's attempts whose logs were read again, the last time by the current extract
// rules.
std::set<std::int64_t> find_read_again(const Store& store,
                                       std::int64_t study_id,
                                       const Study& study);

// The changes that apply to an attempt: trial_changes of its session, without extract rules if
// these have read its logs again since.
std::optional<std::vector<std::string>> trial_change(const TrialRow& trial,
                                                     const StudyObservation& observation);

// Compares the analysis section of `now` with that of the first session that ran an attempt. Absent
// if they are equal, or nothing has run. If the session's study text was not stored (before schema
// version 3) only its hash is known; the difference then says so.
// - sessions: those of one study, in order of id.
// - study_hash: the hash of `now`.
std::optional<AnalysisChange> find_analysis_change(const std::vector<SessionRow>& sessions,
                                                   const std::vector<TrialRow>& trials,
                                                   const Study& now,
                                                   const std::string& study_hash);

// The threat changed_study, a warning if trials of one cell were run with different versions of the
// study. It says what each session ran differently.
std::vector<ThreatRow> changed_study_threats(const StudyObservation& observation,
                                             const Study& study);

}  // namespace scalestudy
