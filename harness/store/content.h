// What happened, without what was computed of it and without a store's own numbers: what merge,
// export and import pass on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/store/rows.h"
#include "harness/study/addition.h"

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

struct StudyContent {
  StudyRow study;              // id is 0
  std::vector<CellRow> cells;  // ids are 0
  std::vector<SessionContent> sessions;
  std::vector<TrialContent> trials;          // every attempt; those running are planned
  std::vector<std::int64_t> looks;           // ascending
  std::vector<Addition> additions;           // in their order
  std::vector<PublicationRow> publications;  // study_id is absent
};

struct StoreContent {
  std::vector<StudyContent> studies;
  std::vector<PublicationRow> publications;  // of no study's report
};

}  // namespace scalestudy
