// The values of a series as a store has them, which another program may have written.
#include <bit>

#include "harness/store/tables/summary.h"
#include "tests/fuzz/fuzz.h"

void scalestudy::test::fuzz(const std::string& input) {
  const auto values = parse_values(input);
  if (!values) {
    return;
  }
  (void)summarise(*values);
  const auto again = parse_values(format_values(*values));
  require(again && again->size() == values->size(), "what is written is read back");
  for (std::size_t i = 0; i < values->size(); ++i) {
    require(std::bit_cast<std::uint64_t>((*again)[i]) == std::bit_cast<std::uint64_t>((*values)[i]),
            "to the same bits");
  }
}
