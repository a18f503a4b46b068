// Which trials count only because an earlier launch of them did not.
#pragma once

#include <cstdint>

namespace scalestudy {

// Trials that count with a later launch, because an earlier one ended in a way that may depend on
// what was measured: it failed by its own exit code, ran into a limit, or gave no valid value.
// Which launch counts is then chosen by how launches end.
struct ChosenTrials {
  std::int64_t trials = 0;    // of those that count
  std::int64_t failures = 0;  // launches that they took the place of
  std::int64_t launches = 0;  // most launches of one of them
};

}  // namespace scalestudy
