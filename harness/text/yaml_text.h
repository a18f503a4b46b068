// Writes texts as scalars of YAML.
#pragma once

#include <string>

namespace scalestudy {

// The text in double quotes; control characters become spaces.
std::string yaml_text(const std::string& text);

// The text, quoted only where it has to be, so that it reads back as this text, also within [lists]
// and {maps}; on one line.
std::string yaml_word(const std::string& text);

// As yaml_word(), but a decimal number such as 16 or 0.5 stays a number; 3.10, which would become
// 3.1, does not.
std::string yaml_value(const std::string& text);

}  // namespace scalestudy
