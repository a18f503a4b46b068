// Tables with decimal commas: "412,3".
#pragma once

#include <string>

#include "harness/audit/draft/document.h"

namespace scalestudy::audit {

// Says which column has decimal commas, and how to type its first cell that has one; empty if none
// has. "4,371" may be in thousands and shows no decimal comma.
std::string decimal_commas_in(const DocumentTable& table);

}  // namespace scalestudy::audit
