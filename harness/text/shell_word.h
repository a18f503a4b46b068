// A text as one word of a shell.
#pragma once

#include <string>

namespace scalestudy {

// `text` as one word of a shell: unchanged if it has no special characters, else in single quotes.
std::string shell_word(const std::string& text);

}  // namespace scalestudy
