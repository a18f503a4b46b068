// Lines of CSV: quoting.
#include "harness/text/csv_line.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

TEST_CASE("fields that need quotes get them", "[base]") {
  CHECK(csv_line({"a", "b,c", "d\"e", "f\ng", ""}) == "a,\"b,c\",\"d\"\"e\",\"f\ng\",\n");
  CHECK(csv_line({""}) == "\"\"\n");
  CHECK(csv_line({"", ""}) == ",\n");
}

}  // namespace
