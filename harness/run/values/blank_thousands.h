// Blanks between the thousands of a printed number, which look like those between columns.
#pragma once

#include <string>
#include <string_view>

#include "harness/run/values/beside_group.h"
#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

// The number that `number` is only a part of: "1 012" for the 1 of "time: 1 012 ms" and for its
// 012; "" if it stands for itself. A unit of the rule has to follow. Digits before the number may
// be those of a step, "step 1 234 ms": they belong to it only after the name of a time, or if the
// number begins with 0.
// - before, behind: the line there; borders: what the pattern has there is no part of the number.
std::string number_with_blanks(std::string_view before,
                               std::string_view number,
                               std::string_view behind,
                               const ExtractRule& rule,
                               const GroupBorders& borders);

}  // namespace scalestudy
