// The least count that is enough, found by doubling and halving.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>

namespace scalestudy::stats {

// The least count from 2 to `most` for which `is_enough` holds, which must hold for all larger
// counts too. Absent if it does not hold for `most`, which is at least 2.
template <typename Predicate>
std::optional<std::size_t> least_count(std::size_t most, const Predicate& is_enough) {
  std::size_t too_few = 1;
  std::size_t enough = 2;
  while (!is_enough(enough)) {
    if (enough == most) {
      return std::nullopt;
    }
    too_few = enough;
    enough = std::min(2 * enough, most);
  }
  while (enough - too_few > 1) {
    const std::size_t middle = too_few + (enough - too_few) / 2;
    (is_enough(middle) ? enough : too_few) = middle;
  }
  return enough;
}

}  // namespace scalestudy::stats
