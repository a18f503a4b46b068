// The extract rules by which the values of a trial were read.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "harness/study/declared/study.h"

namespace scalestudy {

// A hash of the study's extract rules (presets as they are now), of fail_if and of steps.
std::string rules_hash(const Study& study);

// Telemetry about the lines of the output, of the last reading alone.
inline constexpr std::array<std::string_view, 7> kReadingFacts{"repeated_lines",
                                                               "fewer_values",
                                                               "step_interval",
                                                               "steps_of_value",
                                                               "resumptions",
                                                               "unread_output",
                                                               "error_lines"};

// How the event of a later reading begins.
inline constexpr std::string_view kReadAgain = "read again by rules ";

// The event with that hash: "read again by rules 0123456789abcdef".
std::string reading_mark(const Study& study);

}  // namespace scalestudy
