// The mark of a trial whose logs were read again by changed extract rules.
#pragma once

#include <string>
#include <string_view>

#include "harness/study/declared/study.h"

namespace scalestudy {

// How the event of a later reading begins.
inline constexpr std::string_view kReadAgain = "read again by rules ";

// The event with a hash of the rules: "read again by rules 0123456789abcdef". Studies with equal
// extract rules, fail_if and steps have the same mark.
std::string reading_mark(const Study& study);

}  // namespace scalestudy
