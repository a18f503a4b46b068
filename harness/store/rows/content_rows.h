// What happened, without what was computed of it (but projections) and without a store's own
// numbers: what merge, export and import pass on.
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

// What an attempt is called in every store that has it: its cell's hash, plan, block, attempt.
using AttemptName = std::tuple<std::string, std::string, std::int64_t, std::int64_t>;

inline AttemptName attempt_name(const TrialContent& trial) {
  const TrialRow& row = trial.record.trial;
  return {trial.cell, row.plan, row.block, row.attempt};
}

// Of what was computed this alone: it keeps the date of the trials it rests on, so that what is
// measured later can score it, and no later analysis makes it again.
struct ProjectionContent {
  ProjectionRow row;                // without trials, and what was measured of it later
  std::vector<AttemptName> trials;  // it rests on, in their order
};

struct StudyContent {
  StudyRow study;              // id is 0
  std::vector<CellRow> cells;  // ids are 0
  std::vector<SessionContent> sessions;
  std::vector<TrialContent> trials;            // every attempt; those running are planned
  std::vector<std::int64_t> looks;             // ascending
  std::vector<Addition> additions;             // in their order
  std::vector<ProjectionContent> projections;  // that were given a time
  std::vector<PublicationRow> publications;    // study_id is absent
};

struct StoreContent {
  std::vector<StudyContent> studies;
  std::vector<PublicationRow> publications;  // of no study's report
};

}  // namespace scalestudy
