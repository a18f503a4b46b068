// Which quantity a column's heading says it holds.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace re2 {
class RE2;
}

namespace scalestudy::audit {

// Patterns of headings, each with a quantity, in order: the first counts that matches and whose
// quantity the cells can be read as. Of figures none counts from the first that matches and has "".
const std::vector<std::pair<std::unique_ptr<re2::RE2>, std::string>>& heading_patterns();

}  // namespace scalestudy::audit
