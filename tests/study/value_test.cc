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

TEST_CASE("integers and reals are numbers, and nothing else is", "[study]") {
  CHECK(number_of(std::int64_t{4096}) == 4096.0);
  CHECK(number_of(0.1) == 0.1);
  CHECK_FALSE(number_of(true));
  CHECK_FALSE(number_of(std::string("4096")));
}

}  // namespace
