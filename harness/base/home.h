// Whose machine it is, is nobody's business.
#pragma once

#include <string>

namespace scalestudy {

// `text` with "~" for this user's home folder ($HOME), wherever a path in it begins with that.
std::string without_home(std::string text);

}  // namespace scalestudy
