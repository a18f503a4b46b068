// Checks that questions about tokens are about models that have tokens.
#pragma once

#include "harness/study/matrix/matrix.h"
#include "harness/study/sections/section_context.h"
#include "harness/yaml/fields.h"

namespace scalestudy {

// Reports each target, threshold and limit on a rate or cost of tokens, and a training declared in
// tokens, that no cell of `train` can answer, because their models have no tokens.
void check_tokens(const Fields& root, SectionContext& context, const Matrix& matrix);

}  // namespace scalestudy
