// What studies of one name differ in, for the message that refuses to merge them.
#pragma once

#include <string>
#include <vector>

namespace scalestudy {

// The differences, and what to do if nothing but values of axes, or limits, differs.
// - lines: of study_difference(); empty: only what it does not tell differs.
std::string differences_text(const std::vector<std::string>& lines);

}  // namespace scalestudy
