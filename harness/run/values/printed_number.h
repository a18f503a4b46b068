// A number as programs print it, as a double.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/run/values/line_extractor.h"

namespace scalestudy {

// What may stand between thousands besides a comma: 1'250, and spaces that do not break. Not _ and
// blanks, which names and columns have as well. A part of a regular expression.
inline constexpr const char* kBetweenThousands =
    "(?:'|\xe2\x80\x99|\xc2\xa0|\xe2\x80\xaf|\xe2\x80\x89)";

// Appends the number to `found.numbers`: "12.5", "+0.5", with commas or blanks between thousands;
// in a rule with a unit of time also "0:39:56" (h:mm:ss, m:ss) and "1m2.5s", which become that
// unit; and as the rule's `decimal` says. A number that is not finite is appended too, and
// `found.not_finite` says so. Throws BadValue for other texts.
void add_printed(const std::string& printed, const ExtractRule& rule, FoundNumbers& found);

// The number of a step, 0 or above. Throws BadValue.
std::int64_t parse_step(std::string_view text);

}  // namespace scalestudy
