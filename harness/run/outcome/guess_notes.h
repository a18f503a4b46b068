// What a person should check of a guessed rule, as sentences.
#pragma once

#include <string>
#include <vector>

#include "harness/run/outcome/step_columns.h"
#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

// Why a column is passed over whose numbers a rule would read in part, and what to do.
std::string note_cut(const StepColumn& column);

// Notes on the rules of a column: on decimal commas, means and running averages, on rows of a
// table, on lines that name an epoch and come again in it, on lines that look like theirs and are
// not read, on lines of validation and of other progress bars among the read ones, on parts of a
// step that take longer than what is taken for the step, on times that may be those of several
// steps, and on other columns that look as much like the time of a step.
// - columns: those of the stream, of which `column` is one.
// - rules: of the column, the first one's, as a study has them once they were read.
// - lines: of the stream.
std::vector<std::string> notes_on(const StepColumn& column,
                                  const std::vector<StepColumn>& columns,
                                  const std::vector<ExtractRule>& rules,
                                  bool has_step,
                                  const std::vector<std::string>& lines);

}  // namespace scalestudy
