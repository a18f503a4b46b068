// The unit that a program prints beside a number: behind it, or in the name before it.
#pragma once

#include <string>
#include <string_view>

#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

struct UnitBeside {
  std::string text{};  // as printed: "samples_per_sec"; "" for none
  std::string unit{};  // "samples/sec"; any word, where it is not known to be a unit
};

// The text without the blanks that it begins with, those of typesetters among them.
std::string_view without_blanks(std::string_view text);

// Whether the text begins with a tab or two blanks, as what is in another column.
bool begins_column(std::string_view text);

// The unit that the text behind a number begins with: "ms", " s/10it", " it / s", " ms per 10
// steps", "ms/100 steps" or " (s)", but not " (min)", which may be the least of some. A word that
// is the label of the next number is none.
UnitBeside unit_behind(std::string_view before, std::string_view behind);

// Whether the text behind a number begins with the unit of the rule, or with a known one of its
// kind: " s" and "ms/it" where the rule says ms.
bool begins_with_unit(const ExtractRule& rule, std::string_view behind);

// The unit in brackets in the name before a number: "time (ms): ".
UnitBeside unit_in_brackets(std::string_view before);

// The unit that the name before a number ends in: "step_ms=", "it 1 ms: ", "samples_per_sec: ",
// "SamplesPerSec=", "img/sec: ". Words that say other things too, like s, count in brackets only. A
// slash also divides the parts of a name, "perf/sec: " and "step/min: ": with a known word before
// and a second behind it makes a rate.
UnitBeside unit_in_name(std::string_view before);

}  // namespace scalestudy
