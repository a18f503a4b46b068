// Which law describes a curve over devices best at counts it was not fitted to.
#pragma once

#include <vector>

#include "harness/analysis/laws/communication.h"
#include "harness/analysis/observe/observation.h"

namespace scalestudy {

struct LawChoices {
  std::vector<LawChoiceRow> choices;  // one a curve over devices
  std::vector<LawRow> errors;         // held_out_error of every law that applies, asked for or not
};

// Among all laws that apply to the study's scaling (stats/step_law.h), where it asks for some law
// over devices: none can be left out to make another win. Of fewer than five counts, or cells that
// no common blocks connect, none is chosen and errors have no value.
LawChoices choose_laws(const StudyObservation& observation,
                       const Study& study,
                       const Communication& communication);

}  // namespace scalestudy
