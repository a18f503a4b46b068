// Escape sequences of terminals in a text.
#include "harness/run/output/terminal_text.h"

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

TEST_CASE("a title without its end takes no further line of a text with it", "[run]") {
  std::string text = "a\x1b]0;title\nlost rank 3\n\x1b[31mred\x1b[0m\n";

  remove_escapes(text);

  CHECK(text == "a\nlost rank 3\nred\n");
}

}  // namespace
