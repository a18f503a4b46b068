// The law that best predicts a curve at numbers of devices to which it was not fitted.
#pragma once

#include <vector>

#include "harness/analysis/laws/communication.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

struct LawChoices {
  std::vector<LawChoiceRow> choices;  // one for each curve over devices
  std::vector<LawRow> errors;         // held_out_error of every law that applies, asked for or not
};

// Chooses among all laws that apply to the study's scaling (stats/step_law.h) and to its times
// (may_apply() of laws.h) if it asks for any law over devices, so that no law can be left out to
// make another win. With fewer than five numbers of devices, or cells that no common blocks
// connect, none is chosen and errors have no value.
// - fitted: rows of fit_laws(); the finding says so if they reject the law that is chosen.
LawChoices choose_laws(const StudyObservation& observation,
                       const Study& study,
                       const Communication& communication,
                       const std::vector<LawRow>& fitted);

}  // namespace scalestudy
