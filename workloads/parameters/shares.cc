#include "workloads/parameters/shares.h"

#include <algorithm>
#include <charconv>

namespace scalestudy::protocol {

std::optional<std::vector<std::int64_t>> read_shares(std::string_view text) {
  constexpr std::int64_t most = 1'000'000;
  std::vector<std::int64_t> weights;
  if (text == "equal" || text == kMeasuredShares) {
    return weights;
  }
  for (std::string_view rest = text;;) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    std::int64_t weight = 0;
    const char* end = rest.data() + colon;
    const auto read = std::from_chars(rest.data(), end, weight);
    if (read.ec != std::errc{} || read.ptr != end || weight < 1 || weight > most) {
      return std::nullopt;
    }
    weights.push_back(weight);
    if (colon == rest.size()) {
      return weights;
    }
    rest.remove_prefix(colon + 1);
  }
}

}  // namespace scalestudy::protocol
