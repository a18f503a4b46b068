// Which varied parameters a study chooses, and which are conditions that it meets.
#pragma once

#include <string>

#include "harness/study/declared/study.h"

namespace scalestudy {

// Whether a recommendation may name the parameter: those of analysis.decide, what moves with one of
// them in zip, and sides. Without that key everything but the conditions of the workload's table
// (ParameterInfo::condition). Never the devices of a study that does not say how much work a step
// does (states_work).
bool is_choice(const Study& study, const std::string& name);

}  // namespace scalestudy
