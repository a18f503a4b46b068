// Writes a text as a double-quoted scalar of YAML.
#pragma once

#include <string>

namespace scalestudy {

// The scalar, with its quotes; control characters become spaces.
std::string yaml_text(const std::string& text);

}  // namespace scalestudy
