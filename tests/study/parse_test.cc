// What a study file says, what is wrong with one, and where.
#include "harness/study/parse.h"

#include <set>

#include "harness/base/error.h"
#include "harness/study/matrix/matrix.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

using test::kCommandHead;
using test::kHead;
using test::kSmall;
using test::problems_of;
using test::study_of;

TEST_CASE("all sections of a study arrive in its fields", "[study]") {
  const Study study = study_of(
      test::read_file(SCALESTUDY_SOURCE_DIR "/tests/study/examples/valid/everything.yaml"));

  CHECK(study.name == "everything");
  CHECK(study.title == "All sections at once: does it parse?");
  CHECK(study.parameters.at("bucket_mb") == Value(50.0));
  CHECK(study.parameters.at("model.layers") == Value(std::int64_t{1}));
  CHECK(study.axes.size() == 3);
  CHECK(study.axes[2].values[1] == Value(std::string("Ring")));
  CHECK(study.exclude.at(0).at("env.NCCL_ALGO").size() == 2);
  CHECK(study.steps.warmup == 10);
  CHECK(study.steps.measured == 100);
  CHECK(study.trials.count == 50);
  CHECK(study.trials.min == 10);
  CHECK(study.trials.until == 0.02);
  CHECK(study.controls == std::vector<CellRole>{CellRole::kNoop, CellRole::kAa});
  CHECK(study.limits.timeout_s == 600.0);
  CHECK(study.limits.max_time_s == 32400.0);
  CHECK(study.analysis.confidence == 0.95);
  CHECK(study.analysis.margin == 0.02);
  CHECK(study.analysis.baseline.at("devices") == Value(std::int64_t{1}));
  CHECK(study.analysis.thresholds.at(0).along == "batch_per_device");
  CHECK(study.analysis.laws == std::vector<Law>{Law::kAmdahl, Law::kUsl});
  CHECK(study.analysis.targets.at(0).at_least == 1.7);
  CHECK(study.cost->price.per_device_hour == 3.0);
}

TEST_CASE("a stored study is read as it was checked then", "[study]") {
  for (const auto& path : test::yaml_files("tests/study/examples/valid")) {
    CAPTURE(path.filename());
    const std::string text = test::read_file(path);
    const Study study = study_of(text);

    CHECK(study_difference(study, parse_stored_study(text, "s.yaml")).empty());
    CHECK(study_hash(parse_stored_study(text, "s.yaml")) == study_hash(study));
  }
}

TEST_CASE("a stored study is refused for its structure and its name alone", "[study]") {
  const std::set<std::string> unreadable = {"a_list_instead_of_a_study",
                                            "axes_left_empty",
                                            "axis_named_twice",
                                            "axis_of_lists",
                                            "axis_with_one_plain_value",
                                            "command_missing",
                                            "confidence_without_unit",
                                            "control_unknown",
                                            "include_is_no_list",
                                            "merge_key",
                                            "name_missing",
                                            "name_with_capitals",
                                            "order_unknown",
                                            "target_time_without_unit",
                                            "time_to_reach_a_list",
                                            "timeout_unit_unknown",
                                            "timeout_without_unit",
                                            "trials_half_adaptive",
                                            "until_without_unit",
                                            "version_missing",
                                            "version_unknown",
                                            "workload_missing",
                                            "workload_unknown"};

  for (const auto& path : test::yaml_files("tests/study/examples/invalid")) {
    CAPTURE(path.filename());
    const std::string text = test::read_file(path);
    if (unreadable.contains(path.stem())) {
      CHECK_THROWS_AS(parse_stored_study(text, "s.yaml"), Error);
    } else {
      CHECK_NOTHROW(parse_stored_study(text, "s.yaml"));
    }
  }
  const Study study = parse_stored_study(std::string(kHead) +
                                             "parameters: {momentum: 2, model: gone, new: 1.5}\n"
                                             "axes: {devices: [0], env.NCCL_GONE: [a]}\n"
                                             "report: {template: ../../secret}\n",
                                         "s.yaml");
  CHECK(study.parameters.at("momentum") == Value(2.0));
  CHECK(study.parameters.at("model") == Value(std::string("gone")));
  CHECK(study.parameters.at("new") == Value(1.5));
  CHECK(study.axes.at(0).values.at(0) == Value(std::int64_t{0}));
  CHECK(study.axes.at(1).values.at(0) == Value(std::string("a")));
  CHECK(study.report_template == "scaling");  // the word becomes a path
}

TEST_CASE("a NUL in a text is refused wherever it is, and read where it is stored", "[study]") {
  const std::string text =
      kCommandHead + "command: [a, \"x\\0y\"]\nenv: {AA: \"x\\0y\"}\ntitle: \"\\0\"\n";
  CHECK_THAT(problems_of(text),
             Catch::StartsWith("s.yaml:5:14: the text has a NUL (\\0), and programs read only what "
                               "is before that; leave it out\n") &&
                 Catch::Contains("s.yaml:6:11: the text has a NUL") &&
                 Catch::Contains("s.yaml:7:8: the text has a NUL"));
  CHECK_THAT(problems_of(kSmall, {"title=\"a\\0b\""}),
             Catch::StartsWith("s.yaml: --set title=\"a\\0b\": the text has a NUL"));
  CHECK(parse_stored_study(text, "s.yaml").environment.at("AA") == std::string("x\0y", 3));
}

TEST_CASE("a threshold runs along the number of parameters where the model varies", "[study]") {
  const std::string analysis =
      "analysis: {baseline: {devices: 1}, thresholds: [{metric: speedup, along: "
      "parameter_count}]}\n";
  const std::string sizes =
      std::string(kHead) +
      "parameters: {model: lstm-332k, batch_global: 16}\naxes: {devices: [1, 2], model.width: [8, "
      "16]}\n";

  CHECK(study_of(sizes + analysis).analysis.thresholds.at(0).along == "parameter_count");
  CHECK(problems_of(kSmall + analysis).find("every cell has the same model") != std::string::npos);
}

TEST_CASE("a threshold runs along the time of computation where the control noop measures it",
          "[study]") {
  const std::string analysis =
      "analysis: {baseline: {devices: 1}, thresholds: [{metric: speedup, along: "
      "computation_time_s}]}\n";

  CHECK(problems_of(kSmall + analysis + "controls: [noop]\n").empty());
  CHECK(problems_of(kSmall + analysis).find("which the control noop measures; add it") !=
        std::string::npos);
}

TEST_CASE("a study without options has the documented defaults", "[study]") {
  const Study study = study_of(kSmall);

  CHECK(study.title == "example");
  CHECK(study.steps.warmup == 10);
  CHECK(study.trials.count == 5);
  CHECK_FALSE(study.trials.until.has_value());
  CHECK(study.order.seed == 42);
  CHECK(study.limits.silence_s == 120.0);
  CHECK_FALSE(study.cost.has_value());
  CHECK(study.report_template == "scaling");
  CHECK(study.source_text == kSmall);
}

TEST_CASE("a misspelt key is pointed at with the word that was meant", "[study]") {
  CHECK(problems_of(kSmall + "trails: {count: 3}\n") ==
        "s.yaml:5:1: unknown key \"trails\" (did you mean \"trials\"?)\n"
        "  trails: {count: 3}\n"
        "  ^");
}

TEST_CASE("a bare number where a unit belongs is refused and says so", "[study]") {
  CHECK(problems_of(kSmall + "limits: {timeout: 600}\n") ==
        "s.yaml:5:19: limits.timeout: 600 has no unit; a duration is required, e.g. 600s "
        "(units: us, ms, s, min, h, d)\n"
        "  limits: {timeout: 600}\n"
        "                    ^");
  CHECK(
      problems_of(kSmall + "analysis: {confidence: 0.95}\n") ==
      "s.yaml:5:24: analysis.confidence: 0.95 has no unit; write 95% or, if that is meant, 0.95%\n"
      "  analysis: {confidence: 0.95}\n"
      "                         ^");
  // No unit makes these allowed: the range is said, not a unit.
  const auto told = [](const std::string& text) {
    return problems_of(kSmall + "analysis: {" + text + "}\n");
  };
  CHECK_THAT(told("margin: 0"),
             Catch::Contains("analysis.margin is 0; it must be above 0% and below 100%\n"));
  CHECK_THAT(told("confidence: 0.3"),
             Catch::Contains("analysis.confidence is 0.3; it must be above 50% and below 100%\n"));
  CHECK_THAT(
      told("margin: 1"),
      Catch::Contains("analysis.margin: 1 has no unit; write 100% or, if that is meant, 1%\n"));
}

TEST_CASE("a misspelt axis is pointed at with the parameter that was meant", "[study]") {
  CHECK(problems_of(std::string(kHead) + "axes: {device: [1], batch_global: [8]}\n") ==
        "s.yaml:4:8: workload train has no parameter \"device\" (did you mean \"devices\"?)\n"
        "  axes: {device: [1], batch_global: [8]}\n"
        "         ^");
}

TEST_CASE("an axis that the command does not use is pointed at with what may be meant", "[study]") {
  const std::string head = "version: 1\nstudy: s\nworkload: command\n";
  CHECK(
      problems_of(head + "command: [a, \"{batch}\"]\nparameters: {batch: 8}\n"
                         "axes: {btach: [1, 2]}\n") ==
      "s.yaml:6:8: the command does not use btach: cells that differ in it alone would be the "
      "same (did you mean \"batch\"?). Write {btach} into an argument, or call it env.NAME to set "
      "a variable\n"
      "  axes: {btach: [1, 2]}\n"
      "         ^");
  const std::string rule = "extract: [{metric: step_time_s, unit: s, regex: '(.*)'}]\n";
  CHECK_THAT(problems_of(head + rule + "command: [a]\naxes: {x: [1, 2]}\n"),
             Catch::Contains("s.yaml:6:8: the command does not use x"));
  const std::string no_name = problems_of(head + rule + "command: [a]\naxes: {a b: [1, 2]}\n");
  CHECK_THAT(no_name, Catch::Contains("\"a b\" is not a name"));
  CHECK_THAT(no_name, !Catch::Contains("does not use"));
  CHECK_THAT(
      problems_of(head + "command: [a, \"{x}\"]\nzip: [{x: 1}, {x: 2}]\ninclude: [{y: 1}]\n"),
      Catch::Contains("s.yaml:6:12: the command does not use y"));
}

TEST_CASE("what the harness reads, sets or hands over is used by the command", "[study]") {
  const std::string head = "version: 1\nstudy: s\nworkload: command\n";
  const std::string axes = "axes: {x: [1], devices: [1], env.Y: [1]}\n";
  CHECK(problems_of(head + "command: [a, \"{x}\"]\n" + axes).empty());
  CHECK(problems_of(head + "command: [a]\n" + axes).empty());  // SCALESTUDY_PARAMETERS
  // What goes along with a value that is used.
  CHECK(problems_of(head + "command: [a, \"{x}\"]\nzip: [{x: 1, size: 9}, {x: 2, size: 7}]\n")
            .empty());
  CHECK(problems_of(head +
                    "command: [sh, -c, 'a \"$SCALESTUDY_PARAMETERS\" {z}']\n"
                    "parameters: {z: 1}\n" +
                    axes)
            .empty());
}

TEST_CASE("a baseline that no cell has is pointed at", "[study]") {
  CHECK(
      problems_of(kSmall + "analysis: {baseline: {devices: 4}}\n") ==
      "s.yaml:5:22: no cell has this baseline, so that nothing would be compared; for devices=1 "
      "batch_global=32: its baseline would be the cell batch_global=32 devices=4, which the study "
      "does not have\n"
      "  analysis: {baseline: {devices: 4}}\n"
      "                       ^");
  // Of one cell alone: the others are compared.
  CHECK(problems_of(kSmall + "include: [{devices: 2, batch_global: 128}]\n"
                             "analysis: {baseline: {devices: 1}}\n")
            .empty());
}

TEST_CASE("a value outside its parameter's list is refused with the list", "[study]") {
  CHECK(problems_of(kSmall + "parameters: {timing: ful}\n") ==
        "s.yaml:5:22: timing is \"ful\", allowed: full, light (did you mean \"full\"?)\n"
        "  parameters: {timing: ful}\n"
        "                       ^");
}

TEST_CASE("an unknown NCCL name is refused because NCCL would ignore it", "[study]") {
  CHECK(problems_of(kSmall + "parameters: {env.NCCL_ALG: Ring}\n") ==
        "s.yaml:5:14: NCCL_ALG is not in data/environment.yaml, and NCCL ignores names it does not "
        "know in silence (did you mean \"NCCL_ALGO\"?)\n"
        "  parameters: {env.NCCL_ALG: Ring}\n"
        "               ^");
}

TEST_CASE("a batch that does not divide is refused with the cells it is in", "[study]") {
  CHECK(problems_of(std::string(kHead) + "axes: {devices: [1, 2, 4], batch_global: [32, 6]}\n") ==
        "s.yaml:4:28: batch_global must be divisible by devices; it is not in: devices=4 "
        "batch_global=6 (batch_global=6, devices=4). Choose other values, or exclude these cells\n"
        "  axes: {devices: [1, 2, 4], batch_global: [32, 6]}\n"
        "                             ^");
}

TEST_CASE("what cells cannot be is pointed out where the study gives it", "[study]") {
  const auto place = [](const std::string& rest) {
    const std::string text = problems_of(kHead + rest);
    return text.substr(0, text.find(": "));
  };

  CHECK(place("parameters:\n  batch_global: 8\n  model.heads: 5\n  model: gpt-tiny\n") ==
        "s.yaml:6:3");
  CHECK(place("parameters: {batch_global: 8}\nzip:\n- {model: gpt-tiny, model.width: 64}\n"
              "- {model: gpt-tiny, model.width: 32}\n") == "s.yaml:6:21");
  // About no parameter: the section of the cells.
  CHECK(place("parameters: {batch_global: 8}\naxes: {devices: [1, 2]}\nexclude: [{batch_global: "
              "8}]\n") == "s.yaml:5:7");
}

TEST_CASE("a target on an unknown axis names the axis that was meant", "[study]") {
  CHECK(
      problems_of(kSmall +
                  "analysis:\n"
                  "  baseline: {devices: 1}\n"
                  "  targets:\n"
                  "    - {name: a, metric: speedup, where: {batch_globl: 32}, at_least: 1}\n") ==
      "s.yaml:8:42: analysis.targets[0].where names \"batch_globl\", which is not an axis of this "
      "study "
      "(did you mean \"batch_global\"?)\n"
      "      - {name: a, metric: speedup, where: {batch_globl: 32}, at_least: 1}\n"
      "                                           ^");
}

TEST_CASE("a baseline of a study without axes is refused in a whole sentence", "[study]") {
  CHECK_THAT(problems_of(kCommandHead + "command: [a]\nanalysis: {baseline: {devices: 1}}\n"),
             Catch::Contains("\"devices\", which is not an axis of this study; it has none\n"));
}

TEST_CASE("a template of a report is a name and leads nowhere else", "[study]") {
  CHECK_THAT(problems_of(kSmall + "report: {template: ../../x}\n"),
             Catch::Contains("report.template is one of scaling, "));
}

TEST_CASE("all problems of a file are reported together in file order", "[study]") {
  const auto parsed = parse_study(
      "version: 2\nstudy: Bad\nworkload: train\naxes: {device: [1]}\nsteps: {warmup: -1}\n",
      "s.yaml",
      {});

  std::vector<int> lines;
  for (const Problem& problem : parsed.problems) {
    lines.push_back(problem.line);
  }
  // version, study, axis, and the batch that is missing under axes; then steps.
  CHECK(lines == std::vector<int>{1, 2, 4, 4, 5});
}

TEST_CASE("a file of hundreds of mistakes shows the first fifty and counts the rest", "[study]") {
  std::string text = kSmall;
  for (int i = 0; i < 120; ++i) {
    text += "zz" + std::to_string(i) + ": 1\n";
  }

  CHECK(problems_of(text).ends_with("\ns.yaml: and 70 more problems"));
}

TEST_CASE("a file that cannot be read is an error of usage", "[study]") {
  CHECK_THROWS_WITH(load_study("/nonexistent/s.yaml", {}),
                    Catch::Contains("/nonexistent/s.yaml: cannot be read"));
  CHECK_THROWS_WITH(load_study("/", {}), "/: cannot be read; it is a folder");
}

TEST_CASE("load_study throws every problem as one error of usage", "[study]") {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("s.yaml");
  test::write_file(path, kSmall + "trails: 1\nstps: 2\n");

  try {
    load_study(path, {});
    FAIL("accepted");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    CHECK_THAT(error.what(), Catch::Contains(":5:1: ") && Catch::Contains(":6:1: "));
  }
}

TEST_CASE("kinds of values follow the parameter, and free ones follow YAML", "[study]") {
  const Study study = study_of(
      "version: 1\nstudy: example\nworkload: command\ncommand: [a]\n"
      "parameters: {i: 3, r: 0.5, t: true, s: '3', z: 007, w: on, devices: 2, env.A: 1.50, env.B: "
      "2}\n");

  CHECK(study.parameters.at("i") == Value(std::int64_t{3}));
  CHECK(study.parameters.at("r") == Value(0.5));
  CHECK(study.parameters.at("t") == Value(true));
  CHECK(study.parameters.at("s") == Value(std::string("3")));
  CHECK(study.parameters.at("z") == Value(std::string("007")));
  CHECK(study.parameters.at("w") == Value(std::string("on")));
  CHECK(study.parameters.at("devices") == Value(std::int64_t{2}));
  CHECK(study.parameters.at("env.A") == Value(std::string("1.50")));
  CHECK(study.parameters.at("env.B") == Value(std::int64_t{2}));
}

TEST_CASE("a unit on a parameter is converted to the parameter's own", "[study]") {
  const Study study =
      study_of(kSmall + "parameters: {bucket_mb: 25MiB, first_bucket_mb: 524288B}\n");

  CHECK(study.parameters.at("bucket_mb") == Value(25.0));
  CHECK(study.parameters.at("first_bucket_mb") == Value(0.5));
  for (const auto& [text, bytes] : {std::pair("1MB", 1'000'000), std::pair("100kB", 100'000)}) {
    CHECK(parse_parameter_value(Workload::kCollective, "message_bytes", text, false).value ==
          Value(std::int64_t{bytes}));
  }
  CHECK(problems_of(kSmall + "parameters: {bucket_mb: 25min}\n").find("allowed: a number") !=
        std::string::npos);
}

}  // namespace
