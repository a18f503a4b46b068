// Numbers as they are printed: commas, clocks and parts of numbers.
#include "harness/run/values/printed_number.h"
#include "tests/run/extracted.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::extract;
using test::regex_rule;
using test::values_of;

TEST_CASE("times as clocks and letters show them are read in any unit of time", "[run]") {
  const auto seconds = [](const std::string& text, const std::string& unit = "s") {
    ExtractRule rule = regex_rule("t=(.+)");
    rule.unit = unit;
    const auto values = values_of(extract("t=" + text + "\n", rule));
    return values.size() == 1 ? values[0] : -1.0;
  };
  CHECK(seconds("0:39:56") == 2396.0);
  CHECK(seconds("1:02.5") == 62.5);
  CHECK(seconds("26:00:01") == 93601.0);
  CHECK(seconds("2-03:04:05") == 183845.0);
  CHECK(seconds("1 day, 2:03:04") == 93784.0);
  CHECK(seconds("1m2.5s") == 62.5);
  CHECK(seconds("1h0m5s") == 3605.0);
  CHECK(seconds("0m2.345s") == 2.345);
  CHECK(seconds("1 min 2.5 s") == 62.5);
  CHECK(seconds("1h 2m 3 sec") == 3723.0);
  CHECK(seconds("2.5s", "ms") == Approx(2.5));
  CHECK(seconds("0:39:56", "h") == Approx(2396.0));
  CHECK(seconds("812", "ns") == Approx(812e-9));
  for (const std::string text : {"0:60", "1:60:00", "12:5", "5m", "350ms", ":30", "1:2:3"}) {
    CAPTURE(text);
    CHECK(seconds(text) == -1.0);
  }
  ExtractRule loss = regex_rule("t=(.+)");
  loss.metric = "loss";
  loss.unit = "1";
  CHECK(values_of(extract("t=0:39\n", loss)).empty());
  // What a group has beside the number is said.
  const auto problem = [&](const std::string& text) {
    return extract("t=" + text + "\n", regex_rule("t=(.+)")).problems.at(0);
  };
  CHECK(problem("12ms") ==
        "stdout line 1: step_time_s: '12ms' is not a number; end the group before 'ms'");
  CHECK(problem("86%") ==
        "stdout line 1: step_time_s: '86%' is not a number; end the group before '%'");
  CHECK(problem("5m") == "stdout line 1: step_time_s: '5m' is not a number");
}

TEST_CASE("the reason that quotes a NUL goes on behind it", "[run]") {
  const auto record = extract(std::string("t=5\0\n", 5), regex_rule("t=(.+)"));
  CHECK(record.problems.at(0) == "stdout line 1: step_time_s: '5?' is not a number");
}

TEST_CASE("a number followed by a rate is no time, whatever the rule says", "[run]") {
  const ExtractRule rule = regex_rule("([0-9.]+) ?\\S+$");

  for (const std::string line : {"3.5it/s", "3.5 img/sec", "3.5 tokens/s"}) {
    CAPTURE(line);
    const auto record = extract(line + "\n", rule);
    REQUIRE_FALSE(record.problems.empty());
    CHECK_THAT(record.problems[0], Catch::Contains("a rate"));
    CHECK(values_of(record).empty());
  }
  CHECK(values_of(extract("3.5s/it\n", rule)) == std::vector<double>{3.5});
}

TEST_CASE("commas between thousands are read, others are not", "[run]") {
  CHECK(values_of(extract("t=177,138\nt=1,234,567.5\n", regex_rule("t=(\\S+)"))) ==
        std::vector<double>{177138.0, 1234567.5});
  for (const std::string text : {"1,23", "1234,567", ",123", "1,234,5", "0,984", "0,984,000"}) {
    CAPTURE(text);
    const auto record = extract("t=" + text + "\n", regex_rule("t=(\\S+)"));
    CHECK(values_of(record).empty());
    CHECK_THAT(record.problems.at(0), Catch::EndsWith("add decimal: comma to the rule"));
  }
}

TEST_CASE("values that all have one comma and three digits are told of, unless the rule says",
          "[run]") {
  ExtractRule rule = regex_rule("t=(\\S+)");
  const auto told = [&](const std::string& text) {
    const auto record = extract(text, rule);
    const auto& facts = std::get<protocol::End>(record.events.back()).facts;
    CHECK(record.notes.size() == facts.count("commas.step_time_s"));
    return !record.notes.empty();
  };

  CHECK(told("t=12,345\nt=9,987\n"));
  CHECK_FALSE(told("t=12,345\nt=987\n"));
  CHECK_FALSE(told("t=12,345.5\nt=9,987\n"));
  CHECK_FALSE(told("t=1,012,345\nt=9,987\n"));
  rule.decimal = DecimalMark::kPoint;
  CHECK_FALSE(told("t=12,345\nt=9,987\n"));
  rule.decimal = DecimalMark::kComma;
  CHECK_FALSE(told("t=12,345\nt=9,987\n"));
  CHECK(values_of(extract("t=12,345\nt=0,984\nt=1.234,5\n", rule)) ==
        std::vector<double>{12.345, 0.984, 1234.5});
}

TEST_CASE("a group that is only part of a number is refused, with both readings", "[run]") {
  struct Cut {
    std::string line;
    std::string regex;
    std::string told;
  };
  for (const Cut& cut : std::vector<Cut>{
           {"t 310,500 in all", "t (\\d+)", "'310' is only a part of '310,500'"},
           {"t 1,310,500", "t ([0-9]+)", "'1' is only a part of '1,310,500'"},
           {"t 12.5", "t (\\d+)", "'12' is only a part of '12.5'"},
           {"t 12,5 ms", "t (\\d+)", "'12' is only a part of '12,5'"},
           {"t 1.5e-05", "t ([0-9.]+)", "'1.5' is only a part of '1.5e-05'"},
           {"t 12.345", "t (\\d+\\.\\d)", "'12.3' is only a part of '12.345'"},
           {"t 12345", "t.*(\\d+)", "'5' is only a part of '12345'"},
           {"t 12.5", "t.*?(\\d+)$", "'5' is only a part of '12.5'"},
           {"t .5", "t .(\\d+)", "'5' is only a part of '.5'"},
           {"t 12.5", "t ([0-9]+[.]?)", "'12.' is only a part of '12.5'"},
           {"t 12.5", "t [0-9]+([.0-9]+)", "'.5' is only a part of '12.5'"},
           {"t 1e-05", "t.*?(-?[0-9]+)$", "'-05' is only a part of '1e-05'"},
           {"t 1e-05", "t 1e.([0-9]+)$", "'05' is only a part of '1e-05'"},
           {"t -0.5", "t.*?([0-9.]+)", "'0.5' is only a part of '-0.5'"},
           {"t 2,500", "(\\d+)$", "'500' is only a part of '2,500'"},
           {"t 0:39:56", "t (\\d+)", "'0' is only a part of '0:39:56'"},
           {"t 1m2.5s", "t (\\d+)", "'1' is only a part of '1m2.5s'"},
           {"t 1m2.5s", "([0-9.]+)s", "'2.5' is only a part of '1m2.5s'"},
           {"t 1m 2.5s",
            " ([0-9.]+)s",
            "'2.5' is only a part of '1m 2.5s': is it 2.5 or 1m 2.5s? If 1m 2.5s, widen the group; "
            "if 2.5, write what is next to it into the regex"},
           {"t 1 min 2.5 s loss 3", "([0-9.]+) s", "'2.5' is only a part of '1 min 2.5 s'"},
           {"t 1h 2m 3s", "([0-9.]+)s", "'3' is only a part of '1h 2m 3s'"},
           {"t 1h 2m 3s", "([0-9.]+)m ", "'2' is only a part of '1h 2m 3s'"},
           {"t 1h30", "([0-9]+)$", "'30' is only a part of '1h30'"},
           {"t 1:02.5", "([0-9.]+)$", "'02.5' is only a part of '1:02.5'"},
           {"t 1:39:56 max", "([0-9:]{5}) max", "'39:56' is only a part of '1:39:56'"},
           {"t 1 day, 0:01:05", "([0-9:]+)$", "'0:01:05' is only a part of '1 day, 0:01:05'"},
           {"t 1 min 2.5 s", "t ([0-9]+)", "'1' is only a part of '1 min 2.5 s'"},
           {"t 3.20K", "t ([0-9.]+)", "'3.20' is followed by 'K': is it 3.20 s or 3.20 thousand s"},
           {"t 3.2M tok", "t ([0-9.]+)", "or 3.2 million s"},
           {"t 1'250 ms", "t (\\d+)", "'1' is only a part of '1'250'"},
           {"t 1_250_000", "t (\\d+)", "'1' is only a part of '1_250_000'"},
           {"t 1_250ms", "t (\\d+)", "'1' is only a part of '1_250'"},
           {"t 1_250", "(\\d+)$", "'250' is only a part of '1_250'"},
           {"t -1_250", "-(\\d+)", "'1' is only a part of '-1_250'"},
           {"t -1_250", "(\\d+)$", "'250' is only a part of '-1_250'"},
           {"t 1_000-2_000", "-(\\d+)", "'2' is only a part of '2_000'"},
           {"t 1\xe2\x80\xaf"
            "250 ms",
            "t (\\d+)",
            "'1' is only a part of '1\xe2\x80\xaf"
            "250'"},
           {"t 5x10^-3 s", "t (\\d+)", "'5' is only a part of '5x10^-3'"},
           {"t 1.5D+03 ms", "t ([0-9.]+)", "'1.5' is only a part of '1.5D+03'"},
           {"t 1.5D+03", "([0-9]+)$", "'03' is only a part of '1.5D+03'"},
           {"t 0.1234D-02", "t.*?(-?[0-9]+)$", "'-02' is only a part of '0.1234D-02'"},
           {"t 1.e3", "t ([0-9.]+)", "'1.' is only a part of '1.e3'"},
           {"t 0x10", "t ([0-9.]+)", "'0' is only a part of '0x10'"},
           {"t 0x10", "(\\d+)$", "'10' is only a part of '0x10'"},
           {"t 1,23,456", "t (\\d+)", "'1' is only a part of '1,23,456'"},
           {"t \xe2\x88\x92"
            "5",
            "t.*?(\\d+)",
            "'5' is only a part of '\xe2\x88\x92"
            "5'"},
           {"t 5.2 \xc3\x97 10^-3 s", "t ([0-9.]+)", "is only a part of '5.2 \xc3\x97 10^-3'"},
           {"t 5\xc3\x97"
            "10\xc2\xb3 s",
            "t (\\d+)",
            "'5' is only a part of '5\xc3\x97"
            "10\xc2\xb3'"},
           {"t 1 012 s",
            "t (\\d+)",
            "'1' is only a part of '1 012': is it 1 or 1 012? If 1 012, widen the group; if 1, "
            "write what is next to it into the regex"},
           {"t 1 012 ms", "t (\\d+)", "'1' is only a part of '1 012'"},
           {"t 1 012s", "t (\\d+)", "'1' is only a part of '1 012'"},
           {"t 1 234,5 s", "t (\\S+)", "'1' is only a part of '1 234,5'"},
           {"t 12 345.6 s", "t (\\S+)", "'12' is only a part of '12 345.6'"},
           {"t 1 234 567 s", "t (\\S+)", "'1' is only a part of '1 234 567'"},
           {"step 1 012 s", "(\\S+) s$", "'012' is only a part of '1 012'"},
           {"step time: 1 234 s", "(\\S+) s$", "'234' is only a part of '1 234'"},
           {"took 1 234 s", "(\\d+) s", "'234' is only a part of '1 234'"},
           {"elapsed = 1 345 s", "(\\d+) s", "'345' is only a part of '1 345'"},
           {"Time (wall) 1 234.5 s", "([0-9.]+) s", "'234.5' is only a part of '1 234.5'"},
           {"t 1.5 k s", "t (\\S+)", "'1.5' is followed by 'k': is it 1.5 s or 1.5 thousand s"},
           {"t 2 M sec", "t (\\S+)", "'2' is followed by 'M': is it 2 s or 2 million s"},
           {"t 50% done", "t (\\d+)", "'50' is followed by '%', and the rule says s"},
       }) {
    CAPTURE(cut.line, cut.regex);
    const auto record = extract(cut.line + "\n", regex_rule(cut.regex));
    CHECK(record.has_bad_numbers);
    REQUIRE_FALSE(record.problems.empty());
    CHECK_THAT(record.problems[0], Catch::Contains(cut.told));
  }
  const auto value = [](const std::string& line, const std::string& regex) {
    const auto values = values_of(extract(line + "\n", regex_rule(regex)));
    return values.size() == 1 ? values[0] : -1.0;
  };
  // Thousands are read however they are grouped.
  CHECK(value("t 1'250", "t (\\S+)") == 1250.0);
  CHECK(value("t 1_250_000.5", "t (\\S+)") == 1250000.5);
  CHECK(value("t 1\xc2\xa0"
              "250 s",
              "t ([^s]+) s") == 1250.0);
  CHECK(value("t 1 250 s", "t ([^s]+) s") == 1250.0);
  CHECK(value("t 1 250 000.5 s", "t ([^s]+) s") == 1250000.5);
  CHECK(value("step_1_12 5", "_(\\d+) ") == 12.0);
  CHECK(value("id 1250_128 ms", "id (\\d+)") == 1250.0);
  CHECK(value("run_12_345", "run_(\\d+)") == 12.0);
  // Plain spaces separate columns and names from numbers.
  CHECK(value("device 1 98 s", "(\\d+) s") == 98.0);
  CHECK(value("device 1 128 s", "(\\d+) s") == 128.0);
  CHECK(value("layer 12 250", "layer (\\d+)") == 12.0);
  CHECK(value("1 250", "(\\d+)$") == 250.0);
  CHECK(value("3 120 450", "^(\\d+)") == 3.0);
  CHECK(value("loss 1 200 tokens", "loss (\\S+)") == 1.0);
  CHECK(value("step 1 100 s", "(\\S+) s$") == 100.0);
  CHECK(value("step time (min avg): 120 130 s", "(\\d+) s") == 130.0);
  CHECK(value("t 5 120 tok/s", "t (\\d+)") == 5.0);  // no time
  CHECK(value("t 1 20 s", "t (\\d+)") == 1.0);
  CHECK(value("t 1 2000 s", "t (\\d+)") == 1.0);
  CHECK(value("t 1.5 250 s", "t (\\S+)") == 1.5);
  CHECK(value("t 1234 250 s", "t (\\d+)") == 1234.0);
  CHECK(value("t 5 K 300 s", "t (\\S+)") == 5.0);
  CHECK(value("run-12_345", "run-(\\d+)") == 12.0);
  CHECK(value("ckpt-3_100.pt", "ckpt-(\\d+)") == 3.0);
  CHECK(value("a 012_345", "a (\\d+)") == 12.0);
  CHECK(value("a 12_34", "a (\\d+)") == 12.0);
  CHECK(value("a 12_345_b", "a (\\d+)") == 12.0);
  CHECK(value("t 5 x 10 s", "t (\\d+)") == 5.0);
  // What the pattern itself has there is meant.
  CHECK(value("10,120,7", "^([0-9]+),") == 10.0);
  CHECK(value("10,120,7", "^[0-9]+,([0-9]+),") == 120.0);
  CHECK(value("v2.5", "v2\\.(\\d+)") == 5.0);
  CHECK(value("t 5:12 left", "t (\\d+):") == 5.0);
  CHECK(value("t 5:12 left", "t \\d+:(\\d+)") == 12.0);
  CHECK(value("t 1m 2.5s", "m ([0-9.]+)s") == 2.5);
  CHECK(value("fwd 12 345 s", "fwd (\\d+) \\d+ s") == 12.0);
  CHECK(value("fwd 12 345 s", "fwd (\\d+)\\s+\\d+ s") == 12.0);
  CHECK(value("time: 1 234 s", "time: \\d (\\d+)") == 234.0);
  CHECK(value("t 1.5 k s", "t (\\S+) k") == 1.5);
  CHECK(value("t 1.5 k s", "t (\\S+)\\s+k") == 1.5);
  CHECK(value("t 1m 2.5s", "t ([0-9.ms ]+)") == 62.5);
  // Nothing is lost.
  CHECK(value("real 0m2.345s", "([0-9.]+)s") == 2.345);
  CHECK(value("t 0:39:56 max", "([0-9:]{5}) max") == 2396.0);
  // What cannot be a time's.
  CHECK(value("step 1 m 3", "([0-9]+)$") == 3.0);
  CHECK(value("d 1.5 m 3 s", "([0-9]+) s") == 3.0);
  CHECK(value("opt-125m 3.5 s", "([0-9.]+) s") == 3.5);
  CHECK(value("12 m 3.5 s/it", "([0-9.]+) s") == 3.5);
  CHECK(value("ETA 5 min, 3.2 s per step", ", ([0-9.]+) s") == 3.2);
  CHECK(value("3h, 3.2 s, loss 2", ", ([0-9.]+) s") == 3.2);
  CHECK(value("[25:36<52:46, 5.35s/it]", "([0-9.]+)s/it") == 5.35);
  CHECK(value("12:34:56 took 3.5 s", "([0-9.]+) s") == 3.5);
  CHECK(value("rank0:12.5 s", "([0-9.]+) s") == 12.5);
  // What cannot be a number's.
  CHECK(value("0.0123,500,7", "^([0-9.]+)") == 0.0123);
  CHECK(value("10,5,7", "^([0-9]+)") == 10.0);
  CHECK(value("step 10/20: 5.", "(\\d+)\\.$") == 5.0);
  CHECK(value("time...5", "([0-9]+)$") == 5.0);
  CHECK(value("t 12.", "t (\\d+)") == 12.0);
  CHECK(value("t 12.", "t ([0-9.]+)") == 12.0);
  CHECK(value("t - 12", "t.*?(\\d+)") == 12.0);
  CHECK(value("t 3-12", "-(\\d+)") == 12.0);
  CHECK(value("rank-12", "(\\d+)") == 12.0);
  CHECK(value("7Kernel", "(\\d+)") == 7.0);
  CHECK(value("128,20,300", "^([0-9]+)") == 128.0);
  CHECK(value("640x480", "(\\d+)") == 640.0);
  ExtractRule loss = regex_rule("(-?\\d+) ");
  loss.metric = "loss";
  loss.unit = "";
  CHECK(values_of(extract("conv2d-5 3\n", loss)) == std::vector{-5.0});
  // What is behind a column is no unit of a rule that has none.
  ExtractRule count = regex_rule("step (\\d+)");
  count.metric = "count";
  count.unit = "1";
  CHECK(values_of(extract("step 1 100 ms\n", count)) == std::vector{1.0});
  count.unit = "tokens";
  CHECK(extract("step 12 345 tokens\n", count).problems.at(0) ==
        "stdout line 1: count: '12' is only a part of '12 345': is it 12 or 12 345? If 12 345, "
        "widen the group; if 12, write what is next to it into the regex");
}

TEST_CASE("blanks between thousands and a decimal comma are one number", "[run]") {
  ExtractRule rule = regex_rule("t (\\d[\\d ,]*) s");
  rule.decimal = DecimalMark::kComma;

  CHECK(values_of(extract("t 987,5 s\nt 1 012,25 s\nt 12 345 s\n", rule)) ==
        std::vector<double>{987.5, 1012.25, 12345.0});
}
