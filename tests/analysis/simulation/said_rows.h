// What rows of a simulated study say.
#pragma once

#include <algorithm>
#include <vector>

#include "harness/store/rows/result_rows.h"

namespace scalestudy::test {

// Whether the verdict names a faster side.
inline bool is_called(const ComparisonRow& row) {
  return row.verdict == Verdict::kFaster || row.verdict == Verdict::kSlower;
}

// Whether one of the threats is a warning of this kind.
inline bool has_warning(const std::vector<ThreatRow>& threats, ThreatKind kind) {
  return std::ranges::any_of(threats, [&](const ThreatRow& threat) {
    return threat.kind == kind && threat.severity == Severity::kWarning;
  });
}

}  // namespace scalestudy::test
