// By which rules the logs of a trial were read again.
#pragma once

#include <string>
#include <string_view>

#include "harness/study/declared/study.h"

namespace scalestudy {

// How the event of such a reading begins.
inline constexpr std::string_view kReadAgain = "read again by rules ";

// The same with the rules: "read again by rules 0123456789abcdef". Studies whose extract rules and
// steps are equal have the same.
std::string reading_mark(const Study& study);

}  // namespace scalestudy
