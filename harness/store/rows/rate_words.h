// The words of what recomputing a printed rate says of it.
#pragma once

#include "harness/text/words.h"

namespace scalestudy {

// What recomputing a rate that a program prints says of it (harness/audit/check/rate.h).
enum class RateVerdict {
  kFollows,
  kPerDeviceNotTotal,  // called the total, it is that of one device
  kTotalNotPerDevice,  // called that of one device, it is the total
  kCountsX1024,        // powers of 1024 under the name of powers of 1000, or the other way round
  kSparsePeak,         // a share of twice the declared peak
  kDensePeak,          // a share of half the declared peak
  kDoesNotFollow,
  kCannotBeChecked,
};

template <>
inline constexpr std::string_view kWords<RateVerdict> =
    "follows|per device, not total|total, not per device|counts x1024|sparse peak|dense peak|"
    "does not follow|cannot be checked";

}  // namespace scalestudy
