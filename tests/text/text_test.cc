// Numbers and words as people read them.
#include "harness/text/text.h"

#include <string>
#include <vector>

#include "tests/support/catch.h"

using scalestudy::closest_match;
using scalestudy::first_characters;
using scalestudy::format_duration;
using scalestudy::join;
using scalestudy::join_range;
using scalestudy::list_some;
using scalestudy::lowered;
using scalestudy::name_first;
using scalestudy::printable;
using scalestudy::replace_all;
using scalestudy::split;
using scalestudy::with_capital;

TEST_CASE("durations pick a unit that reads well", "[base]") {
  CHECK(format_duration(0.0) == "0 µs");
  CHECK(format_duration(12e-6) == "12 µs");
  CHECK(format_duration(0.0172) == "17.2 ms");
  CHECK(format_duration(12.34) == "12.3 s");
  CHECK(format_duration(250.4) == "4 min 10 s");
  CHECK(format_duration(7500) == "2 h 05 min");
  CHECK(format_duration(1e10) == "2.78e+06 h");
  CHECK(format_duration(1e300) == "2.78e+296 h");
}

TEST_CASE("time that is left is told in whole seconds", "[base]") {
  CHECK(scalestudy::format_time_left(-0.2) == "1 s");
  CHECK(scalestudy::format_time_left(0.425) == "1 s");
  CHECK(scalestudy::format_time_left(4.01) == "5 s");
  CHECK(scalestudy::format_time_left(250.4) == "4 min 11 s");
}

TEST_CASE("durations just below a unit do not print sixty of it", "[base]") {
  CHECK(format_duration(999.7e-6) == "1 ms");
  CHECK(format_duration(999.4e-6) == "999 µs");
  CHECK(format_duration(0.9996) == "1 s");
  CHECK(format_duration(59.97) == "60 s");
  CHECK(format_duration(3599.6) == "1 h 00 min");
}

TEST_CASE("an empty item is joined as any other", "[base]") {
  CHECK(join(std::vector<std::string>{"", "2", ""}, ",") == ",2,");
  CHECK(join(std::vector<std::string>{}, ",").empty());
}

TEST_CASE("a text is split at each separator", "[base]") {
  using Parts = std::vector<std::string>;
  CHECK(split("a,b", ",") == Parts{"a", "b"});
  CHECK(split("a", ",") == Parts{"a"});
  CHECK(split("", ",") == Parts{""});
  CHECK(split(",a,,", ",") == Parts{"", "a", "", ""});
  CHECK(split("a, b,c, ", ", ") == Parts{"a", "b,c", ""});
}

TEST_CASE("what is put in is not replaced again", "[base]") {
  std::string text = "it's 'a'";
  replace_all(text, "'", "''");
  CHECK(text == "it''s ''a''");
  replace_all(text, "''", "");
  CHECK(text == "its a");
  replace_all(text, "b", "c");
  CHECK(text == "its a");
}

TEST_CASE("a line begins with a capital, but not with what is typed so", "[base]") {
  CHECK(with_capital("model mlp-258k") == "Model mlp-258k");
  CHECK(with_capital("2 devices, batch 64") == "2 devices, batch 64");
  CHECK(with_capital("µs") == "µs");
  CHECK(with_capital("").empty());
  for (const char* typed : {"lr_scale=linear", "env.NCCL_ALGO=Ring", "peak_bytes reaches 40 GB"}) {
    CHECK(with_capital(typed) == typed);
  }
}

TEST_CASE("a misspelt word finds its neighbour", "[base]") {
  const std::vector<std::string> words{"trials", "steps", "baseline"};
  CHECK(closest_match("trails", words) == "trials");
  CHECK(closest_match("basline", words) == "baseline");
}

TEST_CASE("a word far from all candidates finds nothing", "[base]") {
  const std::vector<std::string> words{"trials", "steps"};
  CHECK(closest_match("optimizer", words).empty());
  CHECK(closest_match("x", {}).empty());
}

TEST_CASE("foreign text is made printable character by character", "[base]") {
  CHECK(printable("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n\t") ==
        "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n\t");
  CHECK(printable("\x1b[31mred\a\x7f") == "?[31mred??");
  CHECK(printable("\xff\xfe cut \xc3") == "?? cut ?");
  CHECK(printable("\xc3(") == "?(");
  CHECK(printable("\xc2\x9b"
                  "31m") == "?31m");                       // C1: a terminal's other escape
  CHECK(printable("\xc0\xaf \xe0\x80\xaf") == "?? ???");   // overlong
  CHECK(printable("\xed\xa0\x80") == "???");               // surrogate
  CHECK(printable("\xe2\x80\xae \xe2\x81\xa9") == "? ?");  // U+202E, U+2069: turn text around
  CHECK(printable("\xe2\x80\xaf\xe2\x81\xaa") == "\xe2\x80\xaf\xe2\x81\xaa");
}

TEST_CASE("letters of ASCII are lowered, and no others", "[base]") {
  CHECK(lowered("Steps/SEC, 2 \u00c9tapes @[`{") == "steps/sec, 2 \u00c9tapes @[`{");
}

TEST_CASE("text is cut between characters", "[base]") {
  CHECK(first_characters("Epoch 2: \xe2\x96\x88\xe2\x96\x88", 10) == "Epoch 2: \xe2\x96\x88");
  CHECK(first_characters("ab", 2) == "ab");
  CHECK(first_characters("ab", 0).empty());
}

TEST_CASE("a range of one value is that value, and one thing is no first one", "[base]") {
  CHECK(join_range("16", "32") == "16 to 32");
  CHECK(join_range("0.872x", "0.872x") == "0.872x");
  CHECK(name_first(2, "batch 8") == " (first: batch 8)");
  CHECK(name_first(1, "batch 8") == " (batch 8)");
}

TEST_CASE("a list stops after five names and counts the rest", "[base]") {
  std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  CHECK(list_some(names) == "a; b; c; d; e");
  names.emplace_back("f");
  CHECK(list_some(names) == "a; b; c; d; e; and 1 more");
  CHECK(list_some({}).empty());
}
