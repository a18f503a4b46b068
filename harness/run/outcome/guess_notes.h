// What a person should check of a guessed rule, as sentences.
#pragma once

#include <string>
#include <vector>

#include "harness/run/outcome/step_columns.h"
#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

// Which of `columns` look as much like the time of a step as the chosen one; "" if none does.
std::string note_choice(const StepColumn& chosen, const std::vector<StepColumn>& columns);

// Notes on the lines of a stream: those that look like the rules' and are not read, those of
// validation among the read ones, parts of a step that take longer than what is taken for the step,
// and times that may be those of several steps.
// - rules: of the column, the first one's, as a study has them once they were read.
std::vector<std::string> note_lines(const StepColumn& column,
                                    const std::vector<ExtractRule>& rules,
                                    bool has_step,
                                    const std::vector<std::string>& lines);

}  // namespace scalestudy
