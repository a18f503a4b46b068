// How ranks share a batch: the words of the parameter `shares` of `train`.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace scalestudy::protocol {

// The word for shares that a trial measures.
inline constexpr std::string_view kMeasuredShares = "proportional";

// The weights: {1, 2} for "1:2", empty for "equal" and kMeasuredShares; absent for anything else.
// Weights lie in [1, 1000000].
std::optional<std::vector<std::int64_t>> read_shares(std::string_view text);

}  // namespace scalestudy::protocol
