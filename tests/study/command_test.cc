// Arguments and extraction patterns of the workload `command`.
#include "harness/study/matrix/command.h"

#include "harness/base/error.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

const std::string kPlaceholders =
    "version: 1\nstudy: example\nworkload: command\n"
    "command: [run, \"{devices}x{batch_per_device}\", '--json={\"a\": {devices}}', \"{}\"]\n"
    "axes: {devices: [1, 2], batch_per_device: [16]}\n";

TEST_CASE("placeholders become the cell's values and other braces stay", "[study]") {
  const Study study = test::study_of(kPlaceholders);

  CHECK(expand_arguments(study.command, expand(study).cells.at(1)) ==
        std::vector<std::string>{"run", "2x16", "--json={\"a\": 2}", "{}"});
}

TEST_CASE("a placeholder of a default value is that value", "[study]") {
  const Study study = test::study_of(
      "version: 1\nstudy: example\nworkload: train\nparameters: {batch_global: 8}\n"
      "axes: {threads: [1, 2]}\nsetup: [pin, \"{threads}\"]\n");

  const Matrix matrix = expand(study);
  REQUIRE(matrix.cells.size() == 2);
  CHECK(expand_arguments(study.setup, matrix.cells[0]) == std::vector<std::string>{"pin", "1"});
  CHECK(expand_arguments(study.setup, matrix.cells[1]) == std::vector<std::string>{"pin", "2"});
}

TEST_CASE("one text as a command is a line for the shell, and hashes as the list does", "[study]") {
  const std::string rest =
      "axes: {size: [1, 2]}\nextract: [{metric: step_time_s, from: wall_time}]\n";
  const std::string head = "version: 1\nstudy: example\nworkload: command\n";
  const Study text = test::study_of(head + "command: sort -S {size}M < f\nsetup: sync\n" + rest);
  const Study list = test::study_of(
      head + "command: [sh, -c, 'sort -S {size}M < f']\nsetup: [sh, -c, sync]\n" + rest);

  CHECK(expand_arguments(text.command, expand(text).cells.at(1)) ==
        std::vector<std::string>{"sh", "-c", "sort -S 2M < f"});
  CHECK(text.setup == std::vector<std::string>{"sh", "-c", "sync"});
  CHECK(study_hash(text) == study_hash(list));
  CHECK_THAT(test::problems_of(head + "command: sort {sise}\n" + rest),
             Catch::StartsWith("s.yaml:4:10: {sise} names no parameter and no axis (did you mean "
                               "\"size\"?)"));
}

TEST_CASE("where says whether a command's devices are on this machine", "[study]") {
  const std::string rest =
      "command: [a, \"{devices}\"]\naxes: {devices: [1, 64]}\n"
      "extract: [{metric: step_time_s, from: wall_time}]\n";
  const std::string head = "version: 1\nstudy: example\nworkload: command\n";

  CHECK_FALSE(test::study_of(head + rest).is_remote());
  CHECK_FALSE(test::study_of(head + "where: local\n" + rest).is_remote());
  CHECK(test::study_of(head + "where: remote\n" + rest).is_remote());
  CHECK_THAT(test::problems_of(head + "where: cloud\n" + rest),
             Catch::StartsWith("s.yaml:4:8: where is \"cloud\"") && Catch::Contains("remote"));
  CHECK_THAT(test::problems_of("version: 1\nstudy: example\nworkload: train\nwhere: remote\n"
                               "parameters: {model: mlp-6.9m}\naxes: {batch_global: [8]}\n"),
             Catch::Contains("s.yaml:4:8: where belongs to workload: command"));
}

TEST_CASE("what only makes sense on this machine is refused for devices elsewhere", "[study]") {
  const auto problems = [](const std::string& command, const std::string& more) {
    return test::problems_of("version: 1\nstudy: example\nworkload: command\nwhere: remote\n" +
                             command + "\n" + more +
                             "\nextract: [{metric: step_time_s, from: wall_time}]\n");
  };
  const std::string plain = "command: [a, \"{devices}\"]";
  const std::string axes = "axes: {devices: [1, 2]}";

  CHECK_THAT(
      problems(plain, axes + "\nvalidity: {idle_wait: 1min}"),
      Catch::StartsWith("s.yaml:7:11: validity is about the machine that scalestudy runs on"));
  CHECK_THAT(problems(plain, axes + "\nparameters: {backend: cuda}"),
             Catch::StartsWith("s.yaml:7:14: backend says what computes on this machine"));
  CHECK_THAT(problems(plain, "axes: {devices: [1, 2], backend: [cpu, cuda]}"),
             Catch::StartsWith("s.yaml:6:25: backend says"));
  // torch.distributed's, say.
  CHECK(problems("command: [a, \"{devices}\", \"{backend}\"]",
                 "axes: {devices: [1, 2], backend: [gloo, nccl]}")
            .empty());
  CHECK_THAT(problems(plain, axes + "\nenv: {CUDA_VISIBLE_DEVICES: 0}"),
             Catch::StartsWith("s.yaml:7:7: CUDA_VISIBLE_DEVICES would act on this machine"));
  CHECK_THAT(problems(plain, "axes: {devices: [1, 2], env.OMP_PROC_BIND: [close, spread]}"),
             Catch::StartsWith("s.yaml:6:25: env.OMP_PROC_BIND would act on this machine"));
  CHECK_THAT(problems(plain, "zip: [{devices: 1, env.OMP_PLACES: cores}]"),
             Catch::StartsWith("s.yaml:6:20: env.OMP_PLACES would act"));
  CHECK_THAT(problems(plain, axes + "\nsides: [{name: a}, {name: b, env: {OMP_PLACES: cores}}]"),
             Catch::StartsWith("s.yaml:7:36: OMP_PLACES would act"));
  CHECK_THAT(problems("command: [a, \"{devices}\", \"{master_addr}\"]", axes),
             Catch::StartsWith("s.yaml:5:27: {master_addr} is of nodes that scalestudy starts"));
}

TEST_CASE("a cell that lacks a placeholder's value is named", "[study]") {
  const Study study = test::study_of(
      "version: 1\nstudy: example\nworkload: command\ncommand: [a, \"{size}\", "
      "\"{flavour}\"]\ninclude: [{size: 1, flavour: y}, {flavour: x}]\n");

  CHECK_THROWS_WITH(expand_arguments(study.command, expand(study).cells.at(1)),
                    Catch::Contains("{size}"));
}

TEST_CASE("a named group holds the value, else the one called value, else the first", "[study]") {
  CHECK(parse_extract_pattern("t=(?<value>[0-9.]+)", "").regex == "t=([0-9.]+)");
  CHECK(parse_extract_pattern("(a)(?P<value>b)", "").group == 2);
  CHECK(parse_extract_pattern("(a)(b)", "").group == 1);
  CHECK(parse_extract_pattern("(a)(?:x)(?<t>b)", "t").group == 2);
  CHECK(parse_extract_pattern("(a)(b)", "2").group == 2);
  CHECK(parse_extract_pattern("[(]\\((a)", "1").problem.empty());
}

TEST_CASE("groups are counted as the regular expression library counts them", "[study]") {
  const ExtractPattern pattern =
      parse_extract_pattern("\\(step\\) (?:[(]x)?(\\d+) time=(?<value>[0-9.]+)ms", "");

  CHECK(pattern.regex == "\\(step\\) (?:[(]x)?(\\d+) time=([0-9.]+)ms");
  CHECK(pattern.group == 2);
}

TEST_CASE("a pattern that cannot be searched in linear time is refused", "[study]") {
  for (const std::string pattern : {"(a)\\1", "(?=t)(a)", "(?<!t)(a)"}) {
    CAPTURE(pattern);
    CHECK_THAT(parse_extract_pattern(pattern, "").problem, Catch::Contains("RE2"));
  }
}

TEST_CASE("patterns without a group, with a wrong one or with a fault are refused", "[study]") {
  for (const auto& [pattern, group] : std::vector<std::pair<std::string, std::string>>{
           {"abc", ""}, {"(a", ""}, {"(a)", "t"}, {"(a)", "2"}, {"(a)", "0"}, {"(?<t>a)(", ""}}) {
    CAPTURE(pattern);
    CHECK_FALSE(parse_extract_pattern(pattern, group).problem.empty());
  }
  CHECK_FALSE(parse_extract_pattern(std::string(2000, '('), "").problem.empty());
}

}  // namespace

TEST_CASE("keys for reading that make no sense are refused where they are", "[study]") {
  const std::string head =
      "version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{devices}\"]\naxes: {devices: "
      "[1]}\n";
  const auto problems = [&](const std::string& text) { return test::problems_of(head + text); };
  const std::string rule = "extract: [{metric: step_time_s, unit: ms, ";

  CHECK_THAT(
      problems(rule + "regex: (a), json: document}]\n"),
      Catch::Contains("s.yaml:6:") && Catch::Contains("extract[0].json belongs to json_path"));
  CHECK_THAT(problems(rule + "mllog_key: a, json_path: b, json: document}]\n"),
             Catch::Contains("document cannot be combined with mllog_key"));
  CHECK_THAT(problems(rule + "regex: (a), decimal: dot}]\n"),
             Catch::Contains("extract[0].decimal"));
  CHECK_THAT(problems(rule + "regex: (a), from: {file: \"{size}.txt\"}}]\n"),
             Catch::Contains("{size} names no parameter"));
  CHECK_THAT(problems(rule + "regex: (a), from: {path: a}}]\n"),
             Catch::Contains("extract[0].from"));
  CHECK_THAT(problems(rule + "regex: (a)}]\nfail_if: [a, '(']\n"),
             Catch::Contains("s.yaml:7:") &&
                 Catch::Contains("fail_if[1]: not a regular expression (RE2)"));
  CHECK_THAT(problems(rule + "regex: (a)}]\nfail_if: [[a]]\n"),
             Catch::Contains("fail_if[0]: must be a regular expression, not a list"));
  CHECK(problems(rule + "json_path: a, json: document, from: {file: \"{trial_folder}/a\"}}]\n" +
                 "fail_if: [a]\n")
            .empty());
}

TEST_CASE("rules without the new keys hash as they did", "[study]") {
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "ms";
  rule.regex = "t=(a)";
  rule.decimal = DecimalMark::kPoint;  // what is read does not change
  CHECK(rule_text(rule) == "step_time_s [ms] regex t=(a) group 1");
  rule.file = "a";
  rule.decimal = DecimalMark::kComma;
  CHECK(rule_text(rule) == "step_time_s [ms] regex t=(a) group 1 from file a decimal comma");
}

TEST_CASE("values are stored in the unit that the metric's name ends in", "[study]") {
  const auto stored = [](const char* metric, const char* unit) {
    ExtractRule rule;
    rule.metric = metric;
    rule.unit = unit;
    const StoredUnit one = stored_unit(rule);
    return std::pair(one.unit, one.factor);
  };
  const auto is = [](const char* unit, double factor) {
    return std::pair(std::string(unit), factor);
  };
  CHECK(stored("mem_bytes", "MB") == is("bytes", 1e6));
  CHECK(stored("mem_bytes", "MiB") == is("bytes", 1048576.0));
  CHECK(stored("mem_bytes", "bytes") == is("bytes", 1.0));
  CHECK(stored("mem_bytes", "pages") == is("", 1.0));
  CHECK(stored("read_bytes_per_s", "GB/s") == is("bytes/s", 1e9));
  CHECK(stored("read_bytes_per_s", "GB") == is("", 1.0));
  CHECK(stored("latency_s", "ms") == is("s", 1e-3));
  CHECK(stored("board_w", "kW") == is("W", 1e3));
  CHECK(stored("used_j", "MJ") == is("J", 1e6));
  CHECK(stored("clock_hz", "GHz") == is("Hz", 1e9));
  // Rates, and names that end in no unit, are as printed.
  CHECK(stored("tokens_per_s", "tokens/s") == is("tokens/s", 1.0));
  CHECK(stored("tokens_per_device_s", "tokens/s") == is("tokens/s", 1.0));
  CHECK(stored("memory_gib", "GiB") == is("GiB", 1.0));
  CHECK(stored("loss", "1") == is("1", 1.0));
  // Reports multiply these by 100; a share of the author's own is as printed, and so is accuracy.
  CHECK(stored("gpu_busy_share", "%") == is("1", 0.01));
  CHECK(stored("memory_share", "percent") == is("1", 0.01));
  CHECK(stored("memory_share", "Percent") == is("1", 0.01));
  CHECK(stored("update_share", "per cent") == is("1", 0.01));
  CHECK(stored("model_flop_utilization", "%") == is("1", 0.01));
  CHECK(stored("gpu_busy_share", "1") == is("1", 1.0));
  CHECK(stored("my_share", "%") == is("%", 1.0));
  CHECK(stored("accuracy", "%") == is("%", 1.0));
}

TEST_CASE("the amount of a step may be divided, as by the samples of an epoch", "[study]") {
  const auto amount = [](const std::string& text) {
    return value_of(parse_step_amount(text),
                    [](const std::string& name) { return name == "batch_global" ? 100.0 : 4.0; });
  };
  CHECK(amount("{batch_global} / 50000") == Approx(0.002));
  CHECK(amount("{batch_global} / 50000 * 2") == Approx(0.004));
  CHECK(amount("8 * {batch_global} / {parts} / 10") == Approx(20.0));
  CHECK(amount("0.1") == 0.1);
  for (const char* wrong : {"/ 3", "3 /", "3 // 4", "3 / 0", "{batch_global} - 1"}) {
    CAPTURE(wrong);
    CHECK(parse_step_amount(wrong).problem.ends_with(
        "is not an amount; numbers above 0 and {parameters} are, with * or / between them"));
  }
}

TEST_CASE("a printed time covers several steps if a step is a part of what it is of", "[study]") {
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "s/epoch";
  CHECK(steps_of_value(rule, 0.002) == Approx(500.0));
  CHECK(steps_of_value(rule, 1.0) == 1.0);
  rule.unit = "ms/token";
  CHECK(steps_of_value(rule, 1024.0) == 1.0);
  rule.unit = "epochs/s";
  CHECK(steps_of_value(rule, 0.002) == 1.0);
  rule.unit = "s/1000img";  // of samples/s, as the times of some steps are printed
  CHECK(steps_of_value(rule, 0.064) == 1.0);
}

TEST_CASE("a time of ten iterations covers ten steps, with per_step and without", "[study]") {
  ExtractRule rule;
  rule.metric = "step_time_s";
  rule.unit = "s/10it";
  CHECK(steps_of_value(rule, 1.0) == 10.0);
  rule.per_step = "0.1";
  CHECK(steps_of_value(rule, 0.1) == 10.0);
  rule.per_step = "1";  // ten iterations are a step
  CHECK(steps_of_value(rule, 1.0) == 1.0);
  rule.unit = "10it/s";
  CHECK(steps_of_value(rule, 1.0) == 1.0);
}
