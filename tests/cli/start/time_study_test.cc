// The study files that `time` writes.
#include "harness/cli/start/time_study.h"

#include "harness/base/error.h"
#include "harness/run/command/launch_command.h"
#include "harness/study/matrix/command.h"
#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using Catch::Contains;

namespace {

Study study_of(const TimedCommands& timed) {
  const std::string text = time_study_text(timed, "time-it", "/tmp");
  ParsedStudy parsed = parse_study(text, "s.yaml", {});
  INFO(format_problems(parsed.problems, text, "s.yaml"));
  REQUIRE(parsed.problems.empty());
  return std::move(parsed.study);
}

// The last argument of each cell's command.
std::vector<std::string> lines(const Study& study) {
  std::vector<std::string> lines;
  for (const Cell& cell : expand(study).cells) {
    lines.push_back(expand_arguments(study.command, cell).back());
  }
  return lines;
}

TEST_CASE("one command is the study's command, and its lists are axes", "[cli]") {
  const Study study = study_of({.commands = {"gzip -{level} -S {s} < f"},
                                .lists = {"level=1,9", "s=a,b"},
                                .prepare = "sync; echo {level}",
                                .runs = 7});

  CHECK(lines(study) == std::vector<std::string>{"exec >/dev/null; gzip -1 -S a < f",
                                                 "exec >/dev/null; gzip -1 -S b < f",
                                                 "exec >/dev/null; gzip -9 -S a < f",
                                                 "exec >/dev/null; gzip -9 -S b < f"});
  CHECK(study.setup.back() == "sync; echo {level}");
  CHECK(study.trials.count == 7);
  CHECK(study.working_folder == "/tmp");
  CHECK(study.analysis.baseline ==
        Parameters{{"level", Value(std::int64_t{1})}, {"s", Value(std::string("a"))}});
}

TEST_CASE("several commands are a parameter, and the first is the baseline", "[cli]") {
  const Study plain = study_of({.commands = {"a 'b c'", "it's {x} ${HOME}; awk '{print}'"}});

  CHECK(lines(plain).size() == 2);
  const Cell second = expand(plain).cells.at(1);
  CHECK(format_value(second.varied.at("command")) == "it's {x} ${HOME}; awk '{print}'");
  CHECK(lines(plain).at(1) == "exec >/dev/null; it's {x} ${HOME}; awk '{print}'");
  CHECK(plain.analysis.baseline == Parameters{{"command", Value(std::string("a 'b c'"))}});

  const Study crossed = study_of({.commands = {"gzip -{level}", "zstd -{level} {level}"},
                                  .lists = {"level=1,9"},
                                  .names = {"gz{level}", "zst{level}"}});
  CHECK(lines(crossed) == std::vector<std::string>{"exec >/dev/null; gzip -1",
                                                   "exec >/dev/null; gzip -9",
                                                   "exec >/dev/null; zstd -1 1",
                                                   "exec >/dev/null; zstd -9 9"});
  CHECK(expand(crossed).cells.at(3).varied.at("name") == Value(std::string("zst9")));
  CHECK(crossed.analysis.baseline.at("command") == Value(std::string("gzip -1")));
}

TEST_CASE("any command reads back from the study file as it was typed", "[cli]") {
  const std::vector<std::string> commands{"- a",
                                          "a: b # c",
                                          "yes",
                                          "17",
                                          "1e3",
                                          "0x10",
                                          "'\"\\n'",

                                          "{x}, [y]",
                                          "&a *b !c %d",
                                          "~",
                                          "null",
                                          "caf\xc3\xa9",
                                          "a ",
                                          "? x",
                                          "@`|>"};

  const Study study = study_of({.commands = commands});

  std::vector<std::string> read;
  for (const Cell& cell : expand(study).cells) {
    read.push_back(format_value(cell.varied.at("command")));
    CHECK(expand_arguments(study.command, cell).back() == "exec >/dev/null; " + read.back());
  }
  CHECK(read == commands);
}

TEST_CASE("a value reaches the command as it was typed", "[cli]") {
  CHECK(lines(study_of({.commands = {"a {v}"}, .lists = {"v=3.9,3.10,1.0,2"}})) ==
        std::vector<std::string>{"exec >/dev/null; a 3.9",
                                 "exec >/dev/null; a 3.10",
                                 "exec >/dev/null; a 1.0",
                                 "exec >/dev/null; a 2"});
}

TEST_CASE("a shell's ${level} and awk's {print} are left alone", "[cli]") {
  CHECK(lines(study_of({.commands = {"level=3; echo ${level} {level}"}, .lists = {"level=1,2"}})) ==
        std::vector<std::string>{"exec >/dev/null; level=3; echo ${level} 1",
                                 "exec >/dev/null; level=3; echo ${level} 2"});
  CHECK(lines(study_of({.commands = {"awk '{print}' f"}})) ==
        std::vector<std::string>{"exec >/dev/null; awk '{print}' f"});
}

TEST_CASE("without a shell a command is split into its words", "[cli]") {
  CHECK(split_words(R"(a  "b 'c" 'd "e' f\ g "\"" '')") ==
        std::vector<std::string>{"a", "b 'c", "d \"e", "f g", "\"", ""});
  CHECK(split_words(R"(grep "\d\"\$" \d)") == std::vector<std::string>{"grep", "\\d\"$", "d"});
  CHECK_THROWS_WITH(split_words("a 'b"), Contains("a quote has no end"));

  const Study one =
      study_of({.commands = {"cp 'my {file}' b"}, .lists = {"file=x,y"}, .has_shell = false});
  CHECK(one.command == std::vector<std::string>{"cp", "my {file}", "b"});
  const Study two = study_of({.commands = {"cp 'my file' b", "true"}, .has_shell = false});
  CHECK(expand_arguments(two.command, expand(two).cells.at(0)) ==
        std::vector<std::string>{"env", "-S", "cp 'my file' b"});
  const Study backslashes =
      study_of({.commands = {R"(grep '\\d\' "it's")", "true"}, .has_shell = false});
  CHECK(expand_arguments(backslashes.command, expand(backslashes).cells.at(0)).back() ==
        R"(grep '\\\\d\\' 'it\'s')");
}

TEST_CASE("without a shell a value of a list is one word, whatever quotes it has", "[cli]") {
  const Study two = study_of(
      {.commands = {"printf %s {q}", "true {q}"}, .lists = {"q=it's,a\\b"}, .has_shell = false});
  CHECK(lines(two).at(0) == R"(printf %s 'it\'s')");
  CHECK(lines(two).at(1) == R"(printf %s 'a\\b')");
  CHECK(expand(two).cells.at(0).varied.at("q") == Value(std::string("it's")));
}

TEST_CASE("what cannot be timed is refused with what to write instead", "[cli]") {
  const auto refused = [](const TimedCommands& timed, const std::string& words) {
    CHECK_THROWS_WITH(time_study_text(timed, "n", "/tmp"), Contains(words));
  };

  refused({.commands = {"a {x}", "b"}, .lists = {"x=1,2"}}, "-L x: `b` has no {x}");
  refused({.commands = {"a"}, .lists = {"x=1,2"}}, "-L x: `a` has no {x}");
  refused({.commands = {"a {level} {levle}"}, .lists = {"level=1,2"}},
          "`a {level} {levle}`: {levle} has no values (did you mean \"level\"?)");
  refused({.commands = {"a {x}"}, .lists = {"x"}}, "-L x: there are no values");
  refused({.commands = {"a {x}"}, .lists = {"x=1,,2"}}, "a value is empty");
  refused({.commands = {"a {x}"}, .lists = {"x=1,1"}}, "1 is given twice");
  refused({.commands = {"a {x}"}, .lists = {"x=1", "x=2"}}, "x has a list already");
  refused({.commands = {"a {1}"}, .lists = {"1=1"}}, "begins with a letter");
  refused({.commands = {"a {name}"}, .lists = {"name=1"}}, "choose another name");
  refused({.commands = {"a", "a"}}, "`a` is given twice");
  refused({.commands = {" "}}, "is empty");
  refused({.commands = {"a", "b"}, .names = {"one"}},
          "each command needs one name; 1 name for 2 commands");
  const std::string is_count =
      "-n 20 would name a command \"20\"; for 20 trials of each command, write -r 20";
  refused({.commands = {"a"}, .names = {"20"}}, is_count);
  refused({.commands = {"a", "b"}, .names = {"20"}}, is_count);
  CHECK(expand(study_of({.commands = {"a", "b"}, .names = {"1", "2"}})).cells.size() == 2);
}

}  // namespace
