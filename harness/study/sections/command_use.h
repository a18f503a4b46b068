// What a command gets of its cells: parameters that do not reach it would be measured twice.
#pragma once

#include "harness/study/declared/study.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/sections/section_context.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

// Reports an axis, and a row of zip or include, of which the command gets nothing.
void check_use(Fields& root, SectionContext& context);

// Throws Error{kUsage} that begins with the name of a parameter where two cells of a command differ
// in that alone, of which it gets nothing.
void check_commands_differ(const Study& study, const Matrix& matrix);

}  // namespace scalestudy
