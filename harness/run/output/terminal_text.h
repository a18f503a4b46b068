// Text as a terminal shows it.
#pragma once

#include <string>

namespace scalestudy {

// Takes the escape sequences of colours and other attributes out of a text, of titles and links,
// and of erasing; one that moves the cursor along the line becomes a space, so that two numbers
// stay two. None reaches past its line. (ECMA-48: CSI, OSC and the like; other control characters
// stay.)
void remove_escapes(std::string& text);

}  // namespace scalestudy
