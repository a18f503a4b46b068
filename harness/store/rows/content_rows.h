// The content of a store as merge, export and import pass it on: everything that happened, without
// computed results (except projections) and without the store's own ids.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "harness/store/rows/rows.h"
#include "harness/study/declared/addition.h"

namespace scalestudy {

struct SessionContent {
  SessionRow row;  // study_id is 0
  std::vector<EnvironmentRow> environment;
};

struct TrialContent {
  std::string cell;                        // its hash
  std::string session;                     // its uid; "" when it did not run
  TrialRecord record;                      // study_id and cell_id are 0, session_id is absent
  std::vector<AnnotationRow> annotations;  // in their order; trial_id is 0
};

// The name of an attempt, the same in every store that has it: its cell's hash, plan, block,
// attempt.
using AttemptName = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;

inline AttemptName attempt_name(const TrialContent& trial) {
  const TrialRow& row = trial.record.trial;
  return {trial.cell, row.plan, row.block, row.attempt};
}

// Projections are the only computed results passed on: they keep the date of the trials they rest
// on, so that later measurements can score them, and no later analysis could make them again.
struct ProjectionContent {
  ProjectionRow row;                // without its trials, and without what was measured later
  std::vector<AttemptName> trials;  // the attempts it rests on, in their order
};

struct StudyContent {
  StudyRow study;              // id is 0
  std::vector<CellRow> cells;  // ids are 0
  std::vector<SessionContent> sessions;
  std::vector<TrialContent> trials;            // every attempt; running ones as planned
  std::vector<std::int64_t> looks;             // ascending
  std::vector<Addition> additions;             // in their order
  std::vector<ProjectionContent> projections;  // those with a time (status ok)
  std::vector<PublicationRow> publications;    // study_id is absent
};

struct StoreContent {
  std::vector<StudyContent> studies;
  std::vector<PublicationRow> publications;  // those that no study's report shows
};

}  // namespace scalestudy
