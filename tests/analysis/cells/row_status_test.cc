// Statuses of stats and of stored rows.
#include "harness/analysis/cells/row_status.h"

#include "tests/support/catch.h"

using namespace scalestudy;

TEST_CASE("each status of stats is one of a row, by the same word", "[analysis]") {
  for (int i = 0; i <= static_cast<int>(stats::Status::kExtrapolated); ++i) {
    const auto status = static_cast<stats::Status>(i);

    CHECK(to_word(row_status(status)) == stats::format_status(status));
  }
}
