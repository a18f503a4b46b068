// Where the time of one step went, on one rank.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "workloads/names/names.h"

namespace scalestudy::train {

enum Field : std::size_t {
  kStepTime,
  kDataTime,
  kForwardTime,   // with the loss
  kBackwardTime,  // without collective calls made inside it
  kExposedCommunication,
  kOptimizerTime,
  kOtherTime,          // step time less the five above, so that they add up by construction
  kCommunicationTime,  // a collective was in flight: started, and not known to have ended
  kTransferTime,       // sum over collectives, each as long as on the rank where it was shortest
  kSkewTime,           // time in collectives beyond that: another rank had yet to come
  kLoss,               // this rank's part of the mean over the global batch; the parts add up
  kFieldCount,
};

using StepTimes = std::array<double, kFieldCount>;

inline constexpr auto kFieldNames = std::to_array<std::string_view>({
    names::kStepTime,
    names::kDataTime,
    names::kForwardTime,
    names::kBackwardTime,
    names::kExposed,
    names::kOptimizerTime,
    names::kOtherTime,
    names::kCommunication,
    "collective_transfer_time_s",
    "collective_skew_time_s",
    names::kLoss,
});
static_assert(kFieldNames.size() == kFieldCount);

}  // namespace scalestudy::train
