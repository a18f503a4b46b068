// Lines of text as wide as a terminal.
#include "harness/text/wrap.h"

#include "tests/support/catch.h"

using scalestudy::display_width;
using scalestudy::kAnyWidth;
using scalestudy::wrapped;

TEST_CASE("a line is broken at spaces, and later lines are indented", "[text]") {
  CHECK(wrapped("one two three four", 9, 2) == "one two\n  three\n  four");
  CHECK(wrapped("one two three four", kAnyWidth, 2) == "one two three four");
  CHECK(wrapped("one two", 7) == "one two");
  CHECK(wrapped("one two", 6) == "one\ntwo");
}

TEST_CASE("a word wider than the line stays whole", "[text]") {
  CHECK(wrapped("a /very/long/path b", 6, 2) == "a\n  /very/long/path\n  b");
}

TEST_CASE("line ends, empty lines and the begin of a line stay", "[text]") {
  CHECK(wrapped("\n  run one two\n\nend\n", 9) == "\n  run one\ntwo\n\nend\n");
  CHECK(wrapped("", 5).empty());
}

TEST_CASE("width counts characters, not bytes", "[text]") {
  CHECK(display_width("±µ–") == 3);
  CHECK(wrapped("µµ µµ", 5) == "µµ µµ");
}
