#include "harness/study/declared/value.h"

#include <cstdint>
#include <string>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

TEST_CASE("values are written in their shortest text", "[study]") {
  CHECK(format_value(true) == "true");
  CHECK(format_value(std::int64_t{4096}) == "4096");
  CHECK(format_value(0.1) == "0.1");
  CHECK(format_value(25.0) == "25");
  CHECK(format_value(std::string("Ring")) == "Ring");
}

}  // namespace
