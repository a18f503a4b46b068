// What text is no YAML of a study, and how the place of a fault is shown.
#include "harness/yaml/yaml_tree.h"

#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using test::kHead;
using test::kSmall;
using test::problems_of;

TEST_CASE("a duplicate key is refused with the line of the first", "[study]") {
  CHECK(problems_of(kSmall + "steps: {warmup: 1}\nsteps: {warmup: 2}\n") ==
        "s.yaml:6:1: \"steps\" is given twice; first on line 5\n"
        "  steps: {warmup: 2}\n"
        "  ^");
}

TEST_CASE("a merge key is refused", "[study]") {
  CHECK(
      problems_of(std::string(kHead) + "parameters: &p {batch_global: 8}\naxes:\n  <<: *p\n") ==
      "s.yaml:6:3: merge keys (<<) are not supported; repeat the keys, or use an alias for a whole "
      "value\n"
      "    <<: *p\n"
      "    ^");
}

TEST_CASE("broken YAML is one problem with its place", "[study]") {
  CHECK(problems_of("version: 1\nstudy: a: b\n") ==
        "s.yaml:2:9: this is not valid YAML: illegal map value\n"
        "  study: a: b\n"
        "          ^");
}

TEST_CASE("the caret stands under the fault behind letters of two bytes and tabs", "[study]") {
  CHECK(
      problems_of(kSmall + "title: \"\xC3\xA9t\xC3\xA9\"  # \xC3\xA9\nanalysis: {\tmargin: 2}\n") ==
      "s.yaml:6:21: analysis.margin: 2 has no unit; a percentage is required, e.g. 2% (units: %)\n"
      "  analysis: {\tmargin: 2}\n"
      "             \t        ^");
  CHECK(problems_of(kSmall + "report: {\xC3\xA9t\xC3\xA9: 1, template: []}\n")
            .ends_with("  report: {\xC3\xA9t\xC3\xA9: 1, template: []}\n"
                       "                             ^"));
}

TEST_CASE("a message that quotes a line end stays one line", "[study]") {
  CHECK(problems_of(kSmall + "\"a\\nb\": 1\n").starts_with("s.yaml:5:1: unknown key \"a?b\""));
}

TEST_CASE("an empty file is refused as empty", "[study]") {
  CHECK(problems_of("").find("the file is empty") != std::string::npos);
  CHECK(problems_of("# only words\n").find("the file is empty") != std::string::npos);
}

TEST_CASE("bytes that are no text are refused with their place", "[study]") {
  CHECK(problems_of(std::string("a: 1\nb: \0x", 10)) ==
        "s.yaml:2:4: byte 0x00 is not text; write the file as UTF-8 text\n  b: ?x\n     ^");
  CHECK(
      problems_of("title: \xFFx\n") ==
      "s.yaml:1:8: byte 0xff is not UTF-8; write the file as UTF-8 text\n  title: ?x\n         ^");
}

TEST_CASE("letters of three and four bytes are text, and no other spelling of them is", "[study]") {
  // The first and last of each length, and what is around surrogates (RFC 3629).
  for (const std::string letter : {"\xE0\xA0\x80",
                                   "\xED\x9F\xBF",
                                   "\xEE\x80\x80",
                                   "\xEF\xBF\xBD",
                                   "\xF0\x90\x80\x80",
                                   "\xF0\x9F\x98\x80",
                                   "\xF1\x80\x80\x80",
                                   "\xF4\x8F\xBF\xBF"}) {
    INFO(letter);
    CHECK(problems_of(kSmall + "title: \"" + letter + "\"\n").empty());
  }
  for (const std::string bytes : {"\xC1\xBF",
                                  "\xE0\x9F\xBF",
                                  "\xED\xA0\x80",
                                  "\xF0\x8F\xBF\xBF",
                                  "\xF4\x90\x80\x80",
                                  "\xF5\x80\x80\x80",
                                  "\xF1\x80\x80"}) {
    CHECK_THAT(problems_of(kSmall + "title: \"" + bytes + "\"\n"),
               Catch::Contains(" is not UTF-8"));
  }
}

TEST_CASE("deep nesting, alias bombs and self references are refused", "[study]") {
  CHECK(problems_of("axes: " + std::string(100'000, '[')).find("nested too deeply") !=
        std::string::npos);
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int n = 1; n < 10; ++n) {
      bomb += ", " + before;
    }
    bomb += "]\n";
  }
  CHECK(problems_of(bomb).find("more than 500000 values") != std::string::npos);
  // Neither the list nor its thousand aliases are many; what they stand for is a million values.
  std::string repeated = "a: &a [x";
  for (int i = 1; i < 1000; ++i) {
    repeated += ", x";
  }
  repeated += "]\nb: [*a";
  for (int i = 1; i < 1000; ++i) {
    repeated += ", *a";
  }
  CHECK(problems_of(repeated + "]\n").find("more than 500000 values") != std::string::npos);
  CHECK(problems_of("axes: &a [*a]\n").find("an alias inside the very thing") != std::string::npos);
}

TEST_CASE("a file of a megabyte is read, and one of nine is refused", "[study]") {
  const std::string comment = "# " + std::string(1021, '.') + "\n";
  std::string text = kSmall;
  for (int i = 0; i < 1024; ++i) {
    text += comment;
  }
  CHECK(problems_of(text).empty());

  CHECK(problems_of(kSmall + std::string(9U << 20U, '\n')).find("larger than 8 MiB") !=
        std::string::npos);
}

TEST_CASE("a long line is cut to the part with the fault", "[study]") {
  std::string values;
  for (int i = 1; i < 400; ++i) {
    values += std::to_string(i) + ", ";
  }
  const std::string problems =
      problems_of(std::string(kHead) + "axes: {devices: [1], batch_global: [" + values + "x]}\n");

  CHECK(problems.find("batch_global is \"x\"") != std::string::npos);
  CHECK(problems.size() < 500);
}

TEST_CASE("a second document in the file is refused", "[study]") {
  CHECK(problems_of(kSmall + "---\nversion: 1\n").find("more than one document") !=
        std::string::npos);
}

}  // namespace
