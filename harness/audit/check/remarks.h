// What the mistake behind several contradictions seems to be: swapped columns, a mistyped base.
#pragma once

#include <functional>
#include <vector>

#include "harness/audit/check/finding.h"

namespace scalestudy::audit {

using Auditor = std::function<std::vector<Finding>(const Dataset&)>;

// Sets the remarks of findings that do not follow: "columns speedup and efficiency are swapped",
// "the base is mistyped: all others follow from 46.50". Each remark is tried on a copy of the
// dataset, and made only if it explains two findings or more, contradicts none that follows, and
// leaves none unexplained that rests on what it changes.
// - findings: those that `auditor` gave for `dataset`.
void add_remarks(const Dataset& dataset, std::vector<Finding>& findings, const Auditor& auditor);

}  // namespace scalestudy::audit
