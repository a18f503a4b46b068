// A text as one word of a shell.
#pragma once

#include <string>

namespace scalestudy {

// As one word of a shell: as it stands where it has nothing special, else in single quotes.
std::string shell_word(const std::string& text);

}  // namespace scalestudy
