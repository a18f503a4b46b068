// The units of printed numbers, and what stands beside them.
#include <array>

#include "harness/run/values/printed_number.h"
#include "tests/run/extracted.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::extract;
using test::regex_rule;
using test::values_of;

TEST_CASE("a known unit beside the number that is not the rule's is refused", "[run]") {
  const auto problem = [](const std::string& line,
                          const std::string& unit,
                          const std::string& metric = "step_time_s",
                          const char* regex = "([0-9.]+)[^0-9]*$") {
    ExtractRule rule = regex_rule(regex);
    rule.metric = metric;
    rule.unit = unit;
    const auto record = extract(line + "\n", rule);
    return record.problems.empty() ? "" : record.problems[0];
  };
  CHECK(problem("took 1250ms", "s") ==
        "stdout line 1: step_time_s: '1250' is followed by 'ms', and the rule says s: is it 1250 s "
        "or 1250 ms? If 1250 ms, write unit: ms");
  for (const char* regex : {"mfu (\\d+)", "mfu (\\d+) ?%"}) {
    CAPTURE(regex);
    CHECK(problem("mfu 86%", "1", "model_flop_utilization", regex) ==
          "stdout line 1: model_flop_utilization: '86' is followed by '%', and the rule says 1: "
          "write unit: \"%\"");
    CHECK(problem("mfu 86 %", "%", "model_flop_utilization", regex).empty());
  }
  CHECK_THAT(problem("12.1 ms/4GPU", "ms", "step_time_s", "([0-9.]+) ms"),
             Catch::EndsWith("is it 12.1 ms or 12.1 ms/4GPU? If 12.1 ms/4GPU, write unit: ms/4GPU, "
                             "and per_step: 1 if a step takes that long"));
  CHECK_THAT(problem("took 3 seconds", "ms"),
             Catch::EndsWith("3 ms or 3 seconds? If 3 seconds, write unit: s"));
  CHECK_THAT(problem("3.5 img/sec", "s"),
             Catch::EndsWith("write unit: img/s, and per_step: how many img a step has"));
  CHECK_THAT(problem("took 3 \xc2\xb5s", "ms"), Catch::Contains("3 \xc2\xb5s"));
  CHECK_THAT(problem("1.2 kimg/s", "img/s"),
             Catch::EndsWith("is it 1.2 img/s or 1.2 kimg/s? If 1.2 kimg/s, write unit: kimg/s and "
                             "how many of these a step has"));
  CHECK_THAT(problem("1.2 kimg/s", "img/s", "throughput"),
             Catch::EndsWith("If 1.2 kimg/s, write unit: kimg/s"));
  CHECK_THAT(problem("1.5s/it", "it/s"), Catch::Contains("1.5 it/s or 1.5 s/it"));
  CHECK_THAT(problem("1.5 tok/min", "tokens/s"), Catch::Contains("tok/min"));
  CHECK(problem("1.5 tokens/s", "samples/s") ==
        "stdout line 1: step_time_s: '1.5' is followed by 'tokens/s', a rate, and the rule says "
        "samples/s: is it 1.5 samples/s or 1.5 tokens/s? If 1.5 tokens/s, write unit: tokens/s, "
        "and per_step: how many tokens a step has");
  CHECK_THAT(problem("tokens_per_sec: 1.5", "samples/s"), Catch::Contains("is after"));
  CHECK_THAT(problem("1.5 images/s", "it/s"), Catch::EndsWith("how many images a step has"));
  CHECK_THAT(problem("1.5 ms/token", "ms"), Catch::Contains("write unit: ms/token"));
  CHECK_THAT(problem("1.5 ms/token", "ms/step"), Catch::Contains("write unit: ms/token"));
  CHECK_THAT(problem("elapsed (ms): 1250", "s"), Catch::Contains("is after 'ms'"));
  CHECK_THAT(problem("step_ms=1250", "s"), Catch::Contains("is after 'ms'"));
  CHECK_THAT(problem("1.5 GB/s", "MB/s", "algbw_bytes_per_s"),
             Catch::EndsWith("is it 1.5 MB/s or 1.5 GB/s? If 1.5 GB/s, write unit: GB/s"));
  CHECK(problem("used 512 MiB", "GiB", "memory_gib") ==
        "stdout line 1: memory_gib: '512' is followed by 'MiB', and the rule says GiB: is it 512 "
        "GiB or 512 MiB? If 512 MiB, write unit: MiB");
  // Nothing is advised that `validate` refuses: a time is not in MB, and bytes are not in ms.
  CHECK(problem("f 3 MB", "s") ==
        "stdout line 1: step_time_s: '3' is followed by 'MB', and the rule says s: is it 3 s or 3 "
        "MB? step_time_s cannot be in MB; if 3 s, let the program print s beside it");
  CHECK(problem("at 2 GHz: 3", "s", "step_time_s", ": (\\S+)") ==
        "stdout line 1: step_time_s: '3' is after 'GHz', a rate, and the rule says s: is it 3 s or "
        "3 GHz? step_time_s cannot be in GHz; if 3 s, let the program print s beside it");
  CHECK(problem("used 3 ms", "MB", "used_bytes") ==
        "stdout line 1: used_bytes: '3' is followed by 'ms', and the rule says MB: is it 3 MB or 3 "
        "ms? used_bytes cannot be in ms; if 3 MB, let the program print MB beside it");
  CHECK_THAT(problem("used 3 GB", "MB", "used_bytes"),
             Catch::EndsWith("is it 3 MB or 3 GB? If 3 GB, write unit: GB"));
  for (const auto& [line, unit] : std::vector<std::pair<std::string, std::string>>{
           {"took 1250 ms", "ms"},
           {"took 1250ms/step", "ms"},
           {"1.5 sec", "s"},
           {"1.5 s", "s/it"},
           {"1.5 tok/s", "tokens/s"},
           {"1.5 images/s", "samples/s"},
           {"1.5 widgets/s", "samples/s"},
           {"64 frames/s", "images/s"},
           {"1.5 s/10it", "s/10step"},
           {"1.2 s/kimg", "s/kimg"},
           {"time (ms): 12.5 (mean)", "ms"},
           {"mean 12.5 min", "min"},
           {"12.5 steps", "ms"},
           {"12.5 Sec", "s"},
           {"64 FPS", "images/s"},
           {"64 per second", "images/s"},
           {"5 m", "min"},
       }) {
    CAPTURE(line, unit);
    CHECK(problem(line, unit).empty());
  }
  CHECK(problem("used 512 MB", "MiB", "memory_mib").empty());
  CHECK(problem("used 512 M", "MB", "memory_mb").empty());
  CHECK(problem("at 300 K", "1", "temperature").empty());
  CHECK(problem("mfu 86 percent", "1", "model_flop_utilization", "mfu (\\d+)") ==
        "stdout line 1: model_flop_utilization: '86' is followed by 'percent', and the rule says "
        "1: write unit: \"%\"");
  // How many of these a step has is no number of others.
  ExtractRule samples = regex_rule("([0-9.]+)");
  samples.unit = "samples/s";
  samples.per_step = "64";
  for (const auto& [printed, told] : std::vector<std::pair<std::string, std::string>>{
           {"tokens/s", "write unit: tokens/s, and per_step: how many tokens a step has"},
           {"images/min", "write unit: images/min"},
           {"it/s", "write unit: it/s, and leave per_step out"},
           {"ms", "write unit: ms, and leave per_step out"}}) {
    CAPTURE(printed);
    const auto record = extract("1.5 " + printed + "\n", samples);
    REQUIRE_FALSE(record.problems.empty());
    CHECK_THAT(record.problems[0], Catch::EndsWith(told));
  }
  ExtractRule mean = regex_rule("mean ([0-9.]+)");
  mean.unit = "ms";
  CHECK(extract("mean 12.5 min 11.0 max 14\n", mean).problems.empty());
}

TEST_CASE("another unit is refused in all words, brackets and columns, and a letter where it ends",
          "[run]") {
  ExtractRule rule = regex_rule("step \\d+: ([0-9.]+)");
  rule.unit = "ms";
  const auto problem = [&](const std::string& printed) {
    const auto record = extract("step 3: " + printed + "\n", rule);
    CHECK(values_of(record).empty() != record.problems.empty());
    return record.problems.empty() ? "" : record.problems[0];
  };
  const auto other =
      [&](const std::string& text, const std::string& unit, const std::string& told) {
        return "stdout line 1: step_time_s: '5' is followed by '" + text +
               "', and the rule says ms: " + "is it 5 ms or 5 " + unit + "?" + told;
      };
  for (const auto& [printed, text, unit, told] : std::vector<std::array<std::string, 4>>{
           {"5 Sec", "Sec", "Sec", " If 5 Sec, write unit: s"},
           {"5 SEC", "SEC", "SEC", " If 5 SEC, write unit: s"},
           {"5\ts", "s", "s", " If 5 s, write unit: s"},
           {"5   s", "s", "s", " If 5 s, write unit: s"},
           {"5\xc2\xa0s", "s", "s", " If 5 s, write unit: s"},
           {"5 (s)", "(s)", "s", " If 5 s, write unit: s"},
           {"5 [s]", "[s]", "s", " If 5 s, write unit: s"},
           {"5 days", "days", "days", " If 5 days, write unit: d"},
           {"5 ps",
            "ps",
            "ps",
            " step_time_s cannot be in ps; if 5 ms, let the program print ms beside it"}}) {
    CHECK(problem(printed) == other(text, unit, told));
  }
  CHECK(problem("5 FPS") ==
        "stdout line 1: step_time_s: '5' is followed by 'FPS', a rate, and the rule says ms: is it "
        "5 ms or 5 FPS? If 5 FPS, write unit: frames/s, and per_step: how many frames a step has");
  CHECK(problem("5 Hz") ==
        "stdout line 1: step_time_s: '5' is followed by 'Hz', a rate, and the rule says ms: is it "
        "5 ms or 5 Hz? If 5 Hz, write unit: it/s");
  CHECK_THAT(problem("5 per second"),
             Catch::Contains("followed by 'per second', a rate, and the rule says ms") &&
                 Catch::EndsWith("If 5 Hz, write unit: it/s"));
  CHECK_THAT(problem("5 steps per second"), Catch::EndsWith("write unit: steps/s"));
  CHECK_THAT(problem("5 img / s"), Catch::Contains("write unit: img/s, and per_step"));
  CHECK(problem("5 ms / 10it") ==
        other("ms / 10it", "ms/10it", " If 5 ms/10it, write unit: ms/10it"));
  CHECK(problem("5 ms per 10 steps") ==
        other("ms per 10 steps", "ms/10steps", " If 5 ms/10steps, write unit: ms/10steps"));
  CHECK(problem("5 ms/100 steps") ==
        other("ms/100 steps", "ms/100steps", " If 5 ms/100steps, write unit: ms/100steps"));
  CHECK(problem("5 ms per 1,000 steps") == other("ms per 1,000 steps",
                                                 "ms/1000steps",
                                                 " If 5 ms/1000steps, write unit: ms/1000steps"));
  CHECK_THAT(problem("5 s / 100 s"), Catch::EndsWith("If 5 s, write unit: s"));
  CHECK(problem("5 S") ==
        "stdout line 1: step_time_s: '5' is followed by 'S': is it 5 ms or 5 s? If 5 s, write "
        "unit: s; if 5 ms, write what is next to it into the regex");
  CHECK_THAT(problem("5 m | loss 3"), Catch::Contains("is it 5 ms or 5 min? If 5 min, write unit"));
  CHECK(problem("5 K") ==
        "stdout line 1: step_time_s: '5' is followed by 'K': is it 5 ms or 5 thousand ms? Let the "
        "program print it in full; if 5 ms, write what is next to it into the regex");
  CHECK_THAT(problem("5 k"), Catch::Contains("5 ms or 5 thousand ms"));
  CHECK_THAT(problem("5 M, loss 3"), Catch::Contains("5 ms or 5 million ms"));
  CHECK_THAT(problem("5 K tok/s"), Catch::Contains("5 ms or 5 thousand ms"));
  // Letters that name what follows, and words that are no unit.
  for (const std::string printed :
       {"5 M = 3",       "5 M 3",           "5 K: 7",       "5 S 3",         "5 m 3",
        "5 | M = 5",     "5 (M = 5)",       "5 ms | M = 5", "5 Max",         "5 Min 3",
        "5 steps",       "5 (min) 7 (max)", "5 x 10",       "5 ms per step", "5 ms / step",
        "5 ms / 100 ms", "5 ms / 3.2 it/s", "5\tms",        "5 [ms]",        "5 MS",
        "5 ms/100 ms"}) {
    CAPTURE(printed);
    CHECK(problem(printed).empty());
  }
}

TEST_CASE("a rate's name before the number is its unit", "[run]") {
  const auto record = [](const std::string& line, const std::string& unit) {
    ExtractRule rule = regex_rule("([0-9.]+)[,}]?$");
    rule.unit = unit;
    rule.per_step = unit.ends_with("/s") ? "64" : "";
    return extract(line + "\n", rule);
  };
  // By hand: 64 / 128 s.
  for (const auto& [line, unit] : std::vector<std::pair<std::string, std::string>>{
           {"samples_per_sec: 128", "samples/s"},
           {"\"tokens_per_second\": 128}", "tokens/s"},
           {"tokens per sec = 128", "tok/s"},
           {"SamplesPerSec=128,", "img/s"},
           {"throughput/samples_per_sec: 128", "samples/s"},
           {"tokens_per_second_per_gpu:128", "tokens/s"},
           {"global_step/sec: 128", "steps/s"},
           {"Tokens/s/device: 128", "tokens/s"}}) {
    CAPTURE(line);
    CHECK(values_of(record(line, unit)) == std::vector<double>{0.5});
    REQUIRE_FALSE(record(line, "s").problems.empty());
    CHECK_THAT(record(line, "s").problems[0], Catch::Contains("a rate, and the rule says s"));
  }
  CHECK_THAT(
      record("batches_per_sec: 0.45", "s").problems.at(0),
      Catch::EndsWith("'0.45' is after 'batches_per_sec', a rate, and the rule says s: is it "
                      "0.45 s or 0.45 batches/sec? If 0.45 batches/sec, write unit: "
                      "batches/s, and per_step: how many batches a step has"));
  CHECK_THAT(record("ms_per_step: 12", "s").problems.at(0), Catch::EndsWith("write unit: ms/step"));
  // A slash divides the parts of these names.
  CHECK(values_of(record("perf/sec: 0.5", "s")) == std::vector<double>{0.5});
  CHECK(values_of(record("step/min: 0.5", "s")) == std::vector<double>{0.5});
}

TEST_CASE("the label of the next number is not the unit of this one", "[run]") {
  const auto problem = [](const std::string& line, const char* regex, const std::string& unit) {
    ExtractRule rule = regex_rule(regex);
    rule.unit = unit;
    rule.per_step = unit.ends_with("/s") ? "256" : "";
    const auto record = extract(line + "\n", rule);
    CHECK(values_of(record).empty() != record.problems.empty());
    return record.problems.empty() ? "" : record.problems[0];
  };
  const std::string deepspeed = "steps: 10 loss: 5.9000 iter time (s): 1.220 samples/sec: 203.066";
  CHECK(problem(deepspeed, "iter time .s.: (\\S+)", "s").empty());
  CHECK(problem(deepspeed, "samples/sec: (\\S+)", "samples/s").empty());
  CHECK_THAT(problem(deepspeed, "iter time .s.: (\\S+)", "samples/s"),
             Catch::EndsWith("write unit: s, and leave per_step out"));
  CHECK(problem("iter time (s): 1.220 samples/sec 203.066 it/s", "time .s.: (\\S+)", "s").empty());
  CHECK(problem("loss 2.3 ms/step 105.3", "loss (\\S+)", "s").empty());
  CHECK(problem("step 1: tps: 512.3 ms: 101.2", "tps: (\\S+)", "tokens/s").empty());
  CHECK_THAT(problem("took 12.5 s 100 steps", "took (\\S+)", "ms"),
             Catch::Contains("followed by 's'"));
  // Columns: the number has no name of its own, or is the step's, which no rule reads.
  CHECK_THAT(problem("step 12.5 sec/step 3 1", "step (\\S+)", "ms"),
             Catch::Contains("followed by 'sec/step'"));
  CHECK_THAT(problem("step 12.5 s: 3", "step (\\S+)", "ms"), Catch::Contains("followed by 's'"));
  CHECK_THAT(problem("1.25 s/it 0.33", "^(\\S+)", "ms"), Catch::Contains("followed by 's/it'"));
  CHECK_THAT(problem("loss 3 ms 1.25 s/it 0.33", "ms (\\S+)", "ms"),
             Catch::Contains("followed by 's/it'"));
  CHECK(problem("p50 12.5 min 11", "p50 (\\S+)", "ms").empty());
  CHECK(problem("mean 12.5   min   11.0", "mean (\\S+)", "ms").empty());
  CHECK(problem("loss 2.3 fps 30.1", "loss (\\S+)", "ms").empty());
  // Labels and values in turn, between tabs or two blanks.
  CHECK(problem("time\t12.5\tMB\t300", "time\t(\\S+)", "ms").empty());
  CHECK(problem("step_ms\t12.5\tsec\t300", "step_ms\t(\\S+)", "ms").empty());
  CHECK(problem("ms/step  12.5  MB  300", "ms/step  (\\S+)", "ms").empty());
  CHECK(problem("took  12.5  GB/s  300", "took  (\\S+)", "ms").empty());
  CHECK_THAT(problem("time\t12.5\tsec\t300", "time\t(\\S+)", "ms"),
             Catch::Contains("followed by 'sec'"));
  CHECK_THAT(problem("loss 2.3 MB 300", "loss (\\S+)", "ms"), Catch::Contains("followed by 'MB'"));
  CHECK_THAT(problem("took 12.5 GB/s 300", "took (\\S+)", "ms"),
             Catch::Contains("followed by 'GB/s'"));
  CHECK_THAT(problem("time: 12.5 MB/s 3", "time: (\\S+)", "ms"),
             Catch::Contains("followed by 'MB/s'"));
  // A column without a name: the regex tells that the unit is the label of the next.
  CHECK(problem("12.5\tMB\t300", "^(\\S+)", "ms") ==
        "stdout line 1: step_time_s: '12.5' is followed by 'MB', and the rule says ms: is it 12.5 "
        "ms or 12.5 MB? step_time_s cannot be in MB; if 12.5 ms, write what is next to it into the "
        "regex");
  CHECK_THAT(problem("12.5  sec  300", "^(\\S+)", "ms"),
             Catch::EndsWith("If 12.5 sec, write unit: s; if 12.5 ms, write what is next to it "
                             "into the regex"));
  CHECK(problem("12.5\tMB\t300", "^(\\S+)\tMB", "ms").empty());
  CHECK(problem("12.5\tMB\t300", R"(^(\S+)\tMB)", "ms").empty());
  CHECK(problem("12.5  MB/s  300", R"(^(\S+)\s+MB/s)", "ms").empty());
  CHECK_THAT(problem("12.5  sec", R"(^(\S+)\s+sec)", "ms"), Catch::Contains("followed by 'sec'"));
  CHECK_THAT(problem("12.5 MB 300", "^(\\S+) MB", "ms"), Catch::Contains("followed by 'MB'"));
  CHECK_THAT(problem("loss 2.3\xc2\xa0s 3", "loss ([0-9.]+)", "ms"),
             Catch::Contains("followed by 's'"));
  CHECK(problem("loss 2.3 steps per second 105", "loss (\\S+)", "ms").empty());
  for (const std::string line : {"time (s): 1250ms",
                                 "12.5 ms 3.2 it/s",
                                 "12.5 ms, loss: 3",
                                 "12.5 ms,loss=3",
                                 "12.5 ms   3"}) {
    CAPTURE(line);
    CHECK_THAT(problem(line, "(?:: |^)([0-9.]+)", "s"), Catch::Contains("followed by 'ms'"));
  }
}
