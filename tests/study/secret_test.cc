// Values that nothing shows.
#include "harness/study/parameters/secret.h"

#include <cstdlib>
#include <set>
#include <tuple>

#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "harness/study/remarks.h"
#include "harness/study/secrets_of_texts.h"
#include "harness/text/json.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

Study study_with_token(const std::string& values) {
  const std::string text =
      "version: 1\nstudy: s\nworkload: command\ncommand: [\"true\"]\naxes: {env.TOKEN: " + values +
      "}\nsecret: [TOKEN]\n";
  return parse_stored_study(text, "s.yaml");
}

}  // namespace

TEST_CASE("every value of a secret is masked wherever it stands, the longest first", "[study]") {
  const std::vector<std::string> values =
      secret_values(study_with_token("[hush, hush-hush, 'say \"no\\', default, abc]"));

  CHECK(masked("hush hush-hushhush hus", values) == "(secret) (secret)(secret) hus");
  CHECK(masked(R"x(a say "no\ b)x", values) == "a (secret) b");
  CHECK(masked(R"x({"a":"say \"no\\"})x", values) == R"x({"a":"(secret)"})x");
  CHECK(masked(R"x("say ""no\",1)x", values) == R"x("(secret)",1)x");
  CHECK(masked("default abc", values) == "default abc");
  CHECK(std::set(values.begin(), values.end()).size() == values.size());

  const std::vector<std::string> both = secret_values(study_with_token(R"x(["a\"b'c"])x"));
  CHECK(masked(R"x(--token a"b'c)x", both) == "--token (secret)");
  CHECK(masked(R"x("a""b'c",1)x", both) == R"x("(secret)",1)x");
  CHECK(masked(R"x({"a":"a\"b'c"})x", both) == R"x({"a":"(secret)"})x");
  CHECK(masked(R"x(TOKEN='a"b''c')x", both) == "TOKEN='(secret)'");
  CHECK(masked(R"x(TOKEN='a"b'\''c')x", both) == "TOKEN='(secret)'");

  const std::vector<std::string> quoted = secret_values(study_with_token("[\"it's hush\"]"));
  CHECK(masked("TOKEN='it''s hush'", quoted) == "TOKEN='(secret)'");         // YAML
  CHECK(masked(R"x(TOKEN='it'\''s hush')x", quoted) == "TOKEN='(secret)'");  // a shell
}

TEST_CASE("a secret that the study gives to all trials, or to a side's, is masked", "[study]") {
  const std::string text =
      "version: 1\nstudy: s\nworkload: command\ncommand: [\"true\"]\naxes: {env.SIZE: [1, 2]}\n"
      "env: {TOKEN: whisper, OTHER: loud}\nsides:\n  - {name: a}\n"
      "  - {name: b, env: {TOKEN: hush-hush}}\nsecret: [TOKEN]\n";

  const std::vector<std::string> values = secret_values(parse_stored_study(text, "s.yaml"));

  CHECK(masked("whisper loud hush-hush", values) == "(secret) loud (secret)");
}

TEST_CASE("a secret is masked as the study file spells it, in JSON too", "[study]") {
  const std::string head =
      "version: 1\nstudy: s\nworkload: command\ncommand: [\"true\"]\nsecret: [TOK]\n";
  const auto [spelt, value] = GENERATE(table<std::string, std::string>({
      {R"x(env: {TOK: "Xk9\"mQ\\77zz"})x", R"x(Xk9"mQ\77zz)x"},
      {R"x(env: {A: "\u00fc ü", TOK: "Xk9\x20mQ\u00fc77zz"})x", "Xk9 mQü77zz"},
      {R"x(env: {TOK: "Xk9\tmQ77zz"})x", "Xk9\tmQ77zz"},
      {"env: {TOK: 'Xk9 ''mQ\n  77zz'}", "Xk9 'mQ 77zz"},
      {"env: {TOK: Xk9\n   mQ77zz , B: b}", "Xk9 mQ77zz"},
      {"env:\n  TOK: !!str >-\n    Xk9\n    mQ77zz\n", "Xk9 mQ77zz"},
      {"env:\n  TOK: |\n    Xk9\n    mQ77zz\n", "Xk9\nmQ77zz\n"},
      {R"x(title: &t "Xk9\x20mQ77zz"
env: {TOK: *t})x",
       "Xk9 mQ77zz"},
      {"axes: {env.TOK: [0x9mQ77, 1.50e3, 77zz]}", "77zz"},
      {"axes: {env.TOK: [hush-hush, 77zz]}\nexclude: [{env.TOK: [Xk9m, Xk9-mQ]}]", "77zz"},
      {R"x(env: {TOK: Xk9-mQ77zz}
title: "say Xk9\x2dmQ77zz to all")x",
       "Xk9-mQ77zz"},
  }));
  const std::string text = head + spelt + "\n";

  const std::vector<std::string> values = secret_values(parse_stored_study(text, "s.yaml"));

  for (const std::string& shown : {text, JsonText(text).dump(), value, JsonText(value).dump()}) {
    INFO(masked(shown, values));
    CHECK_THAT(masked(shown, values),
               !Catch::Contains("Xk9") && !Catch::Contains("mQ") && !Catch::Contains("77zz") &&
                   !Catch::Contains("1.50e3"));
  }
}

TEST_CASE("the lines of a secret are masked one by one, and without the blanks around it",
          "[study]") {
  const std::vector<std::string> values = secret_values(parse_stored_study(
      "version: 1\nstudy: s\nworkload: command\ncommand: [\"true\"]\nsecret: [KEY, TOK]\n"
      "env:\n  TOK: |\n    whisper\n  KEY: |\n    first half\n    ab\n    second half\n",
      "s.yaml"));

  CHECK(masked("token=whisper;", values) == "token=(secret);");  // $(...) takes its line end
  CHECK(masked("[rank0] first half\n[rank0] ab\n[rank0] second half\n", values) ==
        "[rank0] (secret)\n[rank0] ab\n[rank0] (secret)\n");
  CHECK(masked("first half\nab\nsecond half\n", values) == "(secret)");  // longest first
}

TEST_CASE("what one text of a study marks is secret in all of its texts", "[study]") {
  const std::string head = "version: 1\nstudy: s\nworkload: command\ncommand: [\"true\"]\n";
  using Secrets = std::vector<std::string>;

  CHECK(secrets_of_texts({{"s",
                           {head + "env: {TOK: old-hush}\n",  // as an earlier session ran it
                            head + "env: {TOK: new-hush}\nsecret: [TOK]\n",
                            "no study, secret: [TOK]"}},
                          {"other", {head + "env: {TOK: loud}\n"}},
                          {"third", {head + "env: {KEY: a-key}\nsecret: [KEY]\n"}}}) ==
        Secrets{"a-key", "new-hush", "old-hush"});
  // The key as an escape spells it.
  CHECK(secrets_of_texts({{"s", {head + "env: {TOK: hush}\n\"s\\x65cret\": [TOK]\n"}}}) ==
        Secrets{"hush"});
  CHECK(secrets_of_texts({{"s", {head + "env: {TOK: hush}\n\"secr\\u0065t\": [TOK]\n"}}}) ==
        Secrets{"hush"});
  CHECK(secrets_of_texts({{"s", {head + "env: {TOK: hush}\n? \"sec\\\n  ret\"\n: [TOK]\n"}}}) ==
        Secrets{"hush"});
}

TEST_CASE("a secret that an export left out comes from the environment, or is asked for",
          "[study]") {
  const std::string head =
      "version: 1\nstudy: s\nworkload: command\nsecret: [TEST_TOK]\n"
      "command: [\"true\", \"{size}\"";
  const std::string axes = "]\naxes: {size: [1, 2]}\n";
  const auto taken = [](const std::string& text) {
    Study study = parse_stored_study(text, "s.yaml");
    take_secrets(study);
    return study;
  };
  const std::string exported = head + axes + "env: {TEST_TOK: (secret), B: b}\n";
  const std::string whole = head + axes + "env: {TEST_TOK: hush-hush, B: b}\n";
  unsetenv("TEST_TOK");
  CHECK_THROWS_WITH(taken(exported),
                    Catch::Contains("set the environment variable TEST_TOK to it"));
  CHECK(taken(whole).environment.at("TEST_TOK") == "hush-hush");
  CHECK_THROWS_WITH(
      require_whole_command(parse_stored_study(head + ", \"key (secret)\"" + axes, "s.yaml")),
      Catch::Contains("run it from the file that has it"));
  CHECK_NOTHROW(require_whole_command(parse_stored_study(
      "version: 1\nstudy: s\nworkload: command\ncommand: [\"true\", \"key (secret)\"]\n",
      "s.yaml")));
  // A value of fewer than four characters is exported as it is.
  CHECK_THROWS_WITH(taken(exported + "sides: [{name: a}, {name: b, env: {TEST_TOK: abc}}]\n"),
                    Catch::Contains("set the environment variable TEST_TOK to it"));

  REQUIRE(setenv("TEST_TOK", "hush-hush", 1) == 0);
  const Study study = taken(exported);
  for (const char* cells : {"]\naxes: {size: [1, 2]}\nparameters: {env.TEST_TOK: (secret)}\n",
                            "]\naxes: {size: [1, 2], env.TEST_TOK: [(secret)]}\n",
                            "]\nzip: [{size: 1, env.TEST_TOK: (secret)}]\n"}) {
    CHECK_THROWS_WITH(taken(head + cells),
                      Catch::Contains("secret parameter env.TEST_TOK: run it from the file"));
  }
  unsetenv("TEST_TOK");

  CHECK(study_hash(study) == study_hash(parse_stored_study(whole, "s.yaml")));
  CHECK(study.source_text == exported);
}

TEST_CASE("a difference of studies shows no secret, and counts none that was left out", "[study]") {
  const auto study_with = [](const std::string& token, const std::string& trials) {
    return parse_stored_study(
        "version: 1\nstudy: s\nworkload: command\ncommand: [\"true\"]\nsecret: [TOK]\nenv: {TOK: " +
            token + "}\ntrials: " + trials + "\n",
        "s.yaml");
  };
  using Lines = std::vector<std::string>;

  CHECK(study_difference(study_with("hush-hush", "5"), study_with("whisper", "5")) ==
        Lines{"env.TOK: (secret) -> another secret"});
  CHECK(study_difference(study_with("abcd1234", "5"), study_with("abcd1234-SUFFIX", "5")) ==
        Lines{"env.TOK: (secret) -> another secret"});
  CHECK(study_difference(study_with("(secret)", "5"), study_with("whisper", "7")) ==
        Lines{"trials.count: 5 -> 7"});
  CHECK(study_difference(study_with("whisper", "5"), study_with("(secret)", "5")).empty());
}

TEST_CASE("a secret that is another one in each trial is refused", "[study]") {
  const std::string text =
      "version: 1\nstudy: s\nworkload: command\ncommand: [\"true\", \"{size}\"]\n"
      "axes: {size: [1, 2]}\nenv: {TOKEN: \"key-{size}-hush\"}\nsecret: [TOKEN]\n";

  const std::vector<Problem> problems = parse_study(text, "s.yaml", {}).problems;

  REQUIRE(problems.size() == 1);
  CHECK_THAT(problems.front().message,
             Catch::Contains("made of parameters") && !Catch::Contains("hush"));
}

TEST_CASE("a secret without a value, whose name may be a slip, is told", "[study]") {
  const auto told = [](const std::string& secret) {
    return empty_secrets(parse_stored_study(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a]\nenv: {HF_TOKEN: hush}\nsecret: [" +
            secret + "]\n",
        "s.yaml"));
  };
  CHECK(told("HF_TOKN").at(0) ==
        "secret HF_TOKN is set neither here nor in the study, so it hides nothing; check the "
        "spelling");
  CHECK(told("HF_TOKEN").empty());
}

TEST_CASE("whether a secret has the value of before is known without that value", "[study]") {
  const Study study = parse_stored_study(
      "version: 1\nstudy: s\nworkload: command\ncommand: [a]\nenv: {TEST_KEY: hush-hush}\n"
      "secret: [TEST_KEY, TEST_TOK, UNSET_TOK]\n",
      "s.yaml");
  using Names = std::vector<std::string>;
  setenv("TEST_TOK", "whisper", 1);

  const std::string prints = secret_prints(study);

  CHECK(prints.starts_with("TEST_TOK "));
  CHECK(prints.size() == std::string("TEST_TOK 0123456789abcdef 0123456789abcdef\n").size());
  CHECK(prints.find("whisper") == std::string::npos);
  CHECK(prints != secret_prints(study));  // salted
  CHECK(unknown_secrets(prints, secret_values(study)).empty());
  setenv("TEST_TOK", "shout", 1);
  CHECK(unknown_secrets(prints, secret_values(study)) == Names{"TEST_TOK"});
  unsetenv("TEST_TOK");
  CHECK(unknown_secrets(prints, secret_values(study)) == Names{"TEST_TOK"});
  CHECK(unknown_secrets(prints, {"other", "whisper"}).empty());
  CHECK(secret_prints(study).empty());
}

TEST_CASE("a log full of secrets is masked in one pass", "[study]") {
  constexpr std::size_t times = 2'000'000;
  std::string text;
  std::string expected;
  for (std::size_t i = 0; i < times; ++i) {
    text += "whispers\n";
    expected += "(secret)s\n";
  }

  CHECK(masked(text, {"whisper"}) == expected);
}
