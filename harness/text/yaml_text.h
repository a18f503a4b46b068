// A text as a double-quoted scalar of YAML.
#pragma once

#include <string>

namespace scalestudy {

// With its quotes; control characters become spaces.
std::string yaml_text(const std::string& text);

}  // namespace scalestudy
