// Values that their author hardly meant: versions as numbers, levels that look the same, days that
// are none, projections of what is measured, laws of two points, tokens of models without any,
// emptied logs, parameters that nothing reads.
#include <array>

#include "harness/study/matrix/matrix.h"
#include "harness/study/matrix/matrix_checks.h"
#include "harness/study/remarks.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::kCommandHead;
using test::problems_of;
using test::study_of;

TEST_CASE("a version that would lose its last digit as a number is refused", "[study]") {
  const auto problem = [](const std::string& values, const std::string& name = "x") {
    return problems_of(kCommandHead + "command: [a, \"{" + name + "}\"]\naxes: {" + name + ": [" +
                       values + "]}\n");
  };
  CHECK_THAT(problem("3.10, 3.11", "python"),
             Catch::Contains("python is 3.10, which is the number"));
  CHECK_THAT(problems_of(kCommandHead + "command: [a, \"{torch_version}\"]\n" +
                         "parameters: {torch_version: 2.10}\n"),
             Catch::StartsWith("s.yaml:6:29: torch_version is 2.10"));
  CHECK_THAT(problems_of(kCommandHead + "command: [a, \"{x}\"]\nzip: [{x: 3.9}, {x: 3.10}]\n"),
             Catch::StartsWith("s.yaml:6:21: x is 3.10"));
  CHECK_THAT(problem("3.9, 3.10"),
             Catch::StartsWith("s.yaml:6:17: x is 3.10, which is the number 3.1: write 3.1, or "
                               "\"3.10\" in quotes if it is a version"));
  CHECK(problem("1, 2], env.TORCH: [3.9, 3.10").empty());
  CHECK_FALSE(problem("3.10, 3.11", "with_cuda").empty());
  CHECK_THAT(problem("3.10, 3.12"), Catch::StartsWith("s.yaml:6:12: x is 3.10"));
  CHECK_THAT(problem("2.11, 2.10"), Catch::StartsWith("s.yaml:6:18: x is 2.10"));
  for (const char* name : {"conversion", "cuda_graph_frac", "inversion"}) {
    CAPTURE(name);
    CHECK(problem("1.50, 1.75", name).empty());
  }
  for (const char* fine : {"3.9, \"3.10\"",
                           "0.50, 1.0",
                           "10, 1e10, 100.25",
                           "0.10",
                           "1.25, 1.50, 1.75",
                           "1.50, 2.5",
                           "1.10, 1.15, 1.20",
                           "1.100, 1.102",
                           "2.20, 2.22",
                           "1.5, 1.10e0",
                           "1.10, 1.06",
                           "1, 2.50"}) {
    CAPTURE(fine);
    CHECK(problem(fine).empty());
  }
}

TEST_CASE("a projection to devices that the study measures is told of", "[study]") {
  const auto told = [](const std::string& to) {
    const Study study = study_of(std::string(test::kHead) +
                                 "axes: {devices: [1, 2, 4], batch_global: [8]}\nanalysis: "
                                 "{projection: {to: " +
                                 to + "}}\n");
    return measured_projections(study, expand(study));
  };
  CHECK(told("[1, 4, 8]") ==
        "analysis.projection.to has 1 and 4 devices, which the study measures. No step time is "
        "projected for cells that have trials; name larger numbers of devices");
  CHECK(told("[8, 16]").empty());
}

TEST_CASE("a law over fewer than three numbers of devices is told of", "[study]") {
  const auto told = [](const std::string& devices, const std::string& laws) {
    const Study study = study_of(std::string(test::kHead) + "axes: {devices: " + devices +
                                 ", batch_global: [8, 16]}\nanalysis: {laws: " + laws + "}\n");
    return missing_device_counts(study, expand(study));
  };
  CHECK(told("[1, 2]", "[amdahl]") ==
        "analysis.laws: a law needs at least 3 device counts; this study has only 1 and 2. Add "
        "device counts, or leave analysis.laws out");
  CHECK_THAT(told("[4]", "[usl]"), Catch::Contains("this study has only 4."));
  CHECK(told("[1, 2, 4]", "[amdahl]").empty());
  CHECK(told("[1, 2]", "[]").empty());

  // More devices do not help a law of another scaling.
  CHECK(told("[1, 2]", "[gustafson]").empty());
  CHECK_FALSE(told("[1, 2]", "[gustafson, usl]").empty());
  const auto told_as = [](Scaling scaling, Law law) {
    Study study =
        study_of(std::string(test::kHead) + "axes: {devices: [1, 2], batch_per_device: [8]}\n");
    study.analysis.laws = {law};
    Matrix matrix = expand(study);
    matrix.scaling = scaling;
    return missing_device_counts(study, matrix);
  };
  CHECK(told_as(Scaling::kWeak, Law::kAmdahl).empty());
  CHECK_FALSE(told_as(Scaling::kWeak, Law::kGustafson).empty());
  CHECK(told_as(Scaling::kNone, Law::kUsl).empty());
}

TEST_CASE("a question about tokens of models that have none is refused, where it stands",
          "[study]") {
  const auto problems = [](const std::string& models, const std::string& where = "") {
    return problems_of(
        std::string(test::kHead) + "parameters: {batch_global: 8}\naxes: {devices: [1, 2]" +
        models +
        "}\nanalysis:\n"
        "  targets: [{name: a, metric: tokens_per_second, at_least: 100" +
        where +
        "}]\n"
        "  thresholds: [{metric: tokens_per_second, relative: false, level: 100, along: devices}]\n"
        "  within: {tokens_per_second: 100, cost_per_million_tokens: 3}\n"
        "cost: {per_device_hour: 3, source: s, date: 2026-11-01, train: {tokens: 1e9}}\n");
  };
  const std::string none = " asks about tokens, but model mlp-258k has none; use ";
  const std::string other = ", or a model with tokens such as gpt-tiny\n";
  CHECK_THAT(
      problems(""),
      Catch::StartsWith("s.yaml:7:31: analysis.targets[0].metric" + none + "throughput" + other) &&
          Catch::Contains("s.yaml:8:25: analysis.thresholds[0].metric" + none + "throughput") &&
          Catch::Contains("s.yaml:9:31: analysis.within.tokens_per_second" + none + "throughput") &&
          Catch::Contains("s.yaml:9:61: analysis.within.cost_per_million_tokens" + none +
                          "cost_per_million_samples") &&
          Catch::Contains("cost.train.tokens" + none + "samples"));
  CHECK_THAT(problems(", model: [gru-250k, resnet50-cifar]"),
             Catch::Contains("but models gru-250k and resnet50-cifar have none"));
  CHECK(problems(", model: [gpt-tiny]").empty());
  CHECK(problems(", model: [gpt-tiny, mlp-258k]").empty());
  CHECK_THAT(problems(", model: [gpt-tiny, mlp-258k]", ", where: {model: mlp-258k}"),
             Catch::StartsWith("s.yaml:7:31: ") && !Catch::Contains("thresholds"));
}

TEST_CASE("another model by --set may leave a question about tokens without an answer", "[study]") {
  const auto problems = [](const std::string& model, const std::string& override_text) {
    return problems_of(std::string(test::kHead) + "parameters: {batch_global: 8, model: " + model +
                           "}\naxes: {devices: [1, 2]}\ncost: {per_device_hour: 3, source: s, "
                           "date: 2026-11-01, train: {tokens: 1e9}}\n",
                       {override_text});
  };
  CHECK(problems("gpt-tiny", "parameters.model=mlp-258k").empty());
  CHECK_FALSE(problems("mlp-258k", "trials=4").empty());
}

TEST_CASE("a day that is none of the calendar is refused, where it stands", "[study]") {
  const auto problem = [](const std::string& day) {
    return problems_of(
        std::string(test::kHead) +
        "axes: {devices: [1], batch_global: [8]}\ncost: {per_device_hour: 1, source: s, date: " +
        day + "}\n");
  };
  CHECK_THAT(problem("2026-02-31"),
             Catch::StartsWith("s.yaml:5:45: cost.date is \"2026-02-31\"; a day of the calendar is "
                               "required, e.g. 2026-11-01"));
  for (const char* day : {"2025-02-29",
                          "2026-13-01",
                          "2026-00-10",
                          "2026-04-31",
                          "-026-04-01",
                          "2026-4-001",
                          "2026/04/01"}) {
    CAPTURE(day);
    CHECK_FALSE(problem(day).empty());
  }
  CHECK(problem("2024-02-29").empty());
  CHECK_THAT(problems_of(std::string(test::kHead) +
                         "axes: {devices: [1]}\nanalysis: {failures: {per_device_hour: 1, source: "
                         "a, date: 2026-02-31}}\n"),
             Catch::Contains("analysis.failures.date is \"2026-02-31\""));
}

TEST_CASE("levels that look the same in a report are refused", "[study]") {
  const auto problem = [](const std::string& values) {
    return problems_of(kCommandHead + "command: [a, \"{x}\"]\naxes: {x: [" + values + "]}\n");
  };
  CHECK_THAT(problem("a, \"a \""),
             Catch::StartsWith("s.yaml:6:15: x has \"a\" and \"a \", which differ only in spaces "
                               "or invisible characters and look the same in reports; name them in "
                               "zip, or by -n in `time`\n"));
  CHECK_FALSE(problem("\"a b\", \"a  b\"").empty());
  CHECK_FALSE(problem("\" \", \"  \"").empty());
  CHECK(problem("a b, ab, \"b \"").empty());
  CHECK_THAT(problem("a, a"), Catch::Contains("axis x has the value a twice"));
  CHECK_FALSE(problem("ab, \"a\\u200bb\"").empty());  // a space of no width
  CHECK_FALSE(problem("a b, \"a\\xa0b\"").empty());   // one that no line breaks at
  // A joiner, a variation selector, a direction, a space of a third.
  for (const char* same : {"a\\u200cb", "ab\\ufe0f", "\\u202aab", "ab\\u2004"}) {
    CAPTURE(same);
    CHECK_FALSE(problem("ab, \"" + std::string(same) + "\"").empty());
  }
  CHECK_THAT(problem("\"r\\xe9seau\", \"re\\u0301seau\""),
             Catch::StartsWith("s.yaml:6:25: x has \"r\u00e9seau\" and \"re\u0301seau\": accented "
                               "letters are typed as one character in one, as a letter and an "
                               "accent in the other; type both alike\n"));
  CHECK_FALSE(problem("\"re\\u0301seau\", \"r\\xe9seau\"").empty());
  for (const auto& [joined, apart] : {std::pair{"\\xc0\\xdd\\xff", "A\\u0300Y\\u0301y\\u0308"},
                                      {"\\xdb\\xf5\\xe5\\xe7", "U\\u0302o\\u0303a\\u030ac\\u0327"},
                                      {"a\\xe8\\xea", "a\\xe8e\\u0302"}}) {
    CAPTURE(joined);
    CHECK_FALSE(problem("\"" + std::string(joined) + "\", \"" + apart + "\"").empty());
  }
  CHECK(problem("\"r\\xe9seau\", \"r\\xe8seau\", reseau, \"r\\xe9seaux\"").empty());
  CHECK(problem("\"re\\u0301seau\", \"re\\u0300seau\", reseau").empty());
  CHECK(problem("\"x\\u0304\", \"\\u0177\"").empty());      // another letter
  CHECK(problem("\"cafe\\u0301\", \"caf\\xe8\"").empty());  // another accent
  CHECK(problem("\"cafe\\u0301\", \"caf\\xe1\"").empty());
  CHECK(problem("\"\\u0301a\", \"\\xe1\"").empty());  // no letter before it
}

TEST_CASE("values that look the same are refused wherever a name has them", "[study]") {
  const auto problem = [](const std::string& sections) {
    return problems_of(kCommandHead + "command: [a, \"{x}\"]\n" + sections);
  };
  const std::string same = "x has \"ring\" and \"ring \", which differ only in spaces";
  CHECK_THAT(problem("axes: {x: [ring, tree]}\ninclude: [{x: \"ring \"}]\n"),
             Catch::StartsWith("s.yaml:7:15: " + same));
  CHECK_THAT(problem("zip: [{x: ring}, {x: \"ring \"}]\n"),
             Catch::StartsWith("s.yaml:6:22: " + same));
  CHECK_THAT(problem("include: [{x: ring}, {x: \"ring \"}]\n"),
             Catch::StartsWith("s.yaml:6:26: " + same));
  // Another name beside it tells them apart in reports; the same text twice is one value.
  CHECK(problem("zip: [{x: ring, env.Y: a}, {x: \"ring \", env.Y: b}]\n").empty());
  CHECK(problem("axes: {x: [ring], env.Y: [a]}\ninclude: [{x: ring, env.Y: b}]\n").empty());
}

TEST_CASE("a redirection that empties the log of its trial is told of", "[study]") {
  const auto told = [](const std::string& line) {
    return emptied_logs(study_of(kCommandHead + "command: '" + line + "'\n"));
  };
  CHECK(told("a; echo x > /dev/stderr") ==
        std::vector<std::string>{"command redirects to /dev/stderr with >, which empties the "
                                 "trial's log. Write >&2 instead"});
  CHECK(told("a 2>/dev/stdout").size() == 1);
  for (const char* fine : {"a >> /dev/stderr", "a >&2", "a > /dev/null", "a > /dev/stderr.log"}) {
    CAPTURE(fine);
    CHECK(told(fine).empty());
  }
}

TEST_CASE("a question about tokens that a command does not count is told of", "[study]") {
  const auto told = [](const std::string& more, const std::string& rule = "") {
    return uncounted_tokens(study_of(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
        "extract: [{metric: step_time_s, unit: s, json_path: a}" +
        rule + "]\nparameters: {batch_global: 8" + more +
        "}\nanalysis: {targets: [{name: t, metric: tokens_per_second, at_least: 9}]}\n"
        "cost: {per_device_hour: 3, source: s, date: 2026-11-01, train: {tokens: 1e9}}\n"));
  };
  CHECK(told("") ==
        "analysis.targets and cost.train.tokens ask about tokens, but nothing says how many a "
        "sample has. Declare the parameter sequence_length, or add an extract rule for "
        "tokens_per_sample");
  CHECK(told(", sequence_length: 1024").empty());
  CHECK(told("", ", {metric: tokens_per_sample, unit: '1', json_path: b}").empty());
  // A printed rate is one, and no cost of tokens.
  CHECK_THAT(told("", ", {metric: tokens_per_second, unit: tokens/s, json_path: b}"),
             Catch::StartsWith("cost.train.tokens asks about tokens"));
  const Study protocol = study_of(
      "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
      "analysis: {targets: [{name: t, metric: tokens_per_second, at_least: 9}]}\n");
  CHECK(uncounted_tokens(protocol).empty());
}

namespace {

// A study of `train` with these parameters and axes.
std::string train_text(const std::string& parameters, const std::string& axes) {
  return std::string(test::kHead) + "parameters: {batch_global: 8, devices: 2" + parameters +
         "}\naxes: {" + axes + "}\nsteps: {warmup: 5, measured: 10}\n";
}

}  // namespace

TEST_CASE("an axis whose values no cell reads is refused", "[study]") {
  CHECK_THAT(problems_of(train_text("", "decode_us: [0, 20000]")),
             Catch::StartsWith("s.yaml:5:8: decode_us would change nothing without data: file. "
                               "Leave it out, or set that"));
  using Case = std::array<std::string, 3>;
  for (const auto& [parameters, axes, problem] :
       {Case{"", "data_prefetch: [0, 2]", "data_prefetch would change nothing without data: file"},
        Case{"", "data_cache: [keep, drop]", "data_cache would change nothing without data: file"},
        Case{"", "data_samples: [77, 99]", "data_samples would change nothing without data: file"},
        Case{", optimizer: adamw",
             "momentum: [0.1, 0.9]",
             "momentum would change nothing without optimizer: sgd"},
        Case{", strategy: zero2",
             "bucket_mb: [1, 25]",
             "bucket_mb would change nothing without strategy: ddp or zero1"},
        Case{"",
             "straggler_rank: [0, 1]",
             "straggler_rank would change nothing with straggler_ms: 0 and straggler_factor: 1"},
        Case{", save_every: 2, failure: kill_rank, failure_step: 3",
             "notice_s: [5, 30]",
             "notice_s would change nothing without failure: sigterm"}}) {
    CAPTURE(axes);
    CHECK_THAT(problems_of(train_text(parameters, axes)),
               Catch::StartsWith("s.yaml:5:8: " + problem + ". "));
  }
  CHECK_THAT(problems_of("version: 1\nstudy: s\nworkload: collective\n"
                         "parameters: {devices: 2, mode: isolated}\n"
                         "axes: {operations_per_step: [1, 20]}\n"),
             Catch::StartsWith("s.yaml:5:8: operations_per_step would change nothing without mode: "
                               "back_to_back. Leave it out, or set that"));
  CHECK_THAT(problems_of(train_text("", "save_cache: [keep, drop]")),
             Catch::StartsWith("s.yaml:5:8: save_cache would change nothing with save_every: 0. "
                               "Leave it out, or change that"));
  for (const char* axes : {"data: [synthetic, file], data_prefetch: [0, 2]",
                           "strategy: [ddp, local_sgd], sync_every: [1, 5]",
                           "strategy: [zero1, fsdp], bucket_mb: [1, 25]",
                           "straggler_ms: [0, 5], straggler_rank: [0, 1]",
                           "save_every: [2], save_cache: [keep, drop]",
                           "failure: [none], failure_step: [0]"}) {
    CAPTURE(axes);
    CHECK(problems_of(train_text("", axes)).empty());
  }
}

TEST_CASE("a parameter that is set for all cells and read by none is told", "[study]") {
  const auto told = [](const std::string& parameters, const std::string& axes) {
    const Study study = study_of(train_text(parameters, axes));
    return unread_settings(study, expand(study));
  };
  const std::string parameters =
      ", sync_every: 5, powersgd_rank: 2, fsdp_prefetch: 2, reshard_after_forward: false, "
      "save_cache: drop, failure_step: 5, notice_s: 5, decode_us: 0";

  CHECK(told(parameters, "threads: [1]") ==
        std::vector<std::string>{"failure_step changes nothing with failure: none",
                                 "fsdp_prefetch changes nothing without strategy: fsdp",
                                 "notice_s changes nothing without failure: sigterm",
                                 "powersgd_rank changes nothing without strategy: powersgd",
                                 "reshard_after_forward changes nothing without strategy: fsdp",
                                 "save_cache changes nothing with save_every: 0",
                                 "sync_every changes nothing without strategy: local_sgd"});
  CHECK(told(parameters, "strategy: [fsdp, local_sgd], save_every: [0]") ==
        std::vector<std::string>{"failure_step changes nothing with failure: none",
                                 "notice_s changes nothing without failure: sigterm",
                                 "powersgd_rank changes nothing without strategy: powersgd",
                                 "save_cache changes nothing with save_every: 0"});
}
