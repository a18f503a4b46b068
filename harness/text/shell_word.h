// Texts for a shell: a word, and a call of this program.
#pragma once

#include <string>

namespace scalestudy {

// `text` as one word of a shell: unchanged if it has no special characters, else in single quotes.
std::string shell_word(const std::string& text);

// The results folder that is used if no other is given.
inline constexpr const char* kDefaultResults = "results";

// The command line of a verb on this results folder, for "next: ..." and other advice: "scalestudy
// --results 'my results' run STUDY". The default folder is left out.
std::string call_of(const std::string& results, const std::string& verb, const std::string& study);

}  // namespace scalestudy
