// A name for a study that the program writes.
#pragma once

#include <string>

namespace scalestudy {

// "my-question" of "My question": what may name a study. "" if nothing of the text may.
std::string study_name(const std::string& text);

}  // namespace scalestudy
