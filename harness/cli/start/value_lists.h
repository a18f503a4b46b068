// Lists of values on the command line, -L level 1,6,9, and their {level} in commands.
#pragma once

#include <string>
#include <vector>

namespace scalestudy {

struct ValueList {
  std::string name;
  std::vector<std::string> values;  // one or more, all different
};

// Reads the texts of -L, "level=1,6,9" each. Throws Error{kUsage} for a text that is no such list,
// a name that no parameter may have, and a name that is there twice.
std::vector<ValueList> read_value_lists(const std::vector<std::string>& texts);

// The names in {braces} of a command that no list gives values to. A name after a $ is the
// shell's and is left out.
std::vector<std::string> unlisted_names(const std::string& command,
                                        const std::vector<ValueList>& lists);

// The command with `{name}` replaced by the value.
std::string with_value(std::string command, const std::string& name, const std::string& value);

}  // namespace scalestudy
