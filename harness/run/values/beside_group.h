// What is directly before and after a group of a regular expression: the rest of a number, or
// a unit.
#pragma once

#include <string>
#include <string_view>

#include "harness/study/declared/extract_rule.h"

namespace scalestudy {

// What a pattern itself has next to a group: an author who wrote "([0-9]+)," knows of the comma.
struct GroupBorders {
  std::string before;  // the text that ends there; "" if the pattern has none, or may match others
  char behind = 0;     // the character that begins there; 0 likewise
  std::string known;   // the pattern behind blanks that begin there, without \ before signs
};

// - group: its number, from 1, in a pattern that RE2 takes.
GroupBorders find_borders(const std::string& regex, int group);

// Throws BadNumber with both readings if the text at `number`, a part of `line`, is only part of a
// number ("310" of "310,500", "3.20" of "3.20K") or of a time ("2.5" of "1m2.5s"), or if another
// unit than the rule's stands next to it.
void refuse_part(std::string_view line,
                 std::string_view number,
                 const ExtractRule& rule,
                 const GroupBorders& borders);

}  // namespace scalestudy
