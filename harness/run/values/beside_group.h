// What is directly before and after a group of a regular expression: the rest of a number, or
// a unit.
#pragma once

#include <string>
#include <string_view>

#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

// The characters that a pattern itself has next to a group: an author who wrote ([0-9]+), knows of
// the comma. 0 where the pattern has none there, or one that stands for others.
struct GroupBorders {
  char before = 0;
  char behind = 0;
};

// - group: its number, from 1, in a pattern that RE2 takes.
GroupBorders find_borders(const std::string& regex, int group);

// Throws BadNumber with both readings if the text at `number`, a part of `line`, is only part of a
// number ("310" of "310,500", "3.20" of "3.20K"), or if another unit than the rule's stands next
// to it.
void refuse_part(std::string_view line,
                 std::string_view number,
                 const ExtractRule& rule,
                 const GroupBorders& borders);

}  // namespace scalestudy
