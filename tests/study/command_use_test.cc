// What a command gets of its cells.
#include "harness/study/remarks.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;
using test::kCommandHead;
using test::problems_of;
using test::study_of;

TEST_CASE("a step of several times ten iterations is refused where it is said", "[study]") {
  const auto problem = [](const std::string& per_step) {
    return problems_of(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a]\nextract: [{metric: step_time_s, "
        "unit: s/10it, regex: '(.*)', per_step: " +
        per_step + "}]\n");
  };
  CHECK_THAT(problem("2"), Catch::Contains("per_step is 2: a step would be 2 times 10it"));
  CHECK(problem("0.2").empty());
  CHECK(problem("1").empty());
  for (const std::string unit : {"s/0it", "s/-1it", "s/1.5it"}) {
    for (const char* amount : {"", ", per_step: 3"}) {
      CAPTURE(unit, amount);
      const std::string of_none = problems_of(
          "version: 1\nstudy: s\nworkload: command\ncommand: [a]\nextract: [{metric: "
          "step_time_s, unit: " +
          unit + ", regex: '(.*)'" + amount + "}]\n");
      CHECK_THAT(of_none,
                 Catch::Contains("unit is \"" + unit + "\"; step_time_s is a time: write"));
      CHECK_THAT(of_none, !Catch::Contains("how many there are in a step"));
    }
  }
}

TEST_CASE("the amount of a step may be the batch size that follows from the given one", "[study]") {
  const auto problem = [](const std::string& axes, const std::string& amount) {
    return problems_of("version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{devices}\", \"{" +
                       axes + "}\"]\naxes: {devices: [1, 2], " + axes +
                       ": [32]}\nextract: [{metric: step_time_s, unit: samples/s, regex: '(.*)', "
                       "per_step: \"{" +
                       amount + "}\"}]\n");
  };
  CHECK(problem("batch_global", "batch_per_device").empty());
  CHECK(problem("batch_per_device", "batch_global").empty());
  CHECK_THAT(problem("size", "batch_per_device"), Catch::Contains("names no parameter"));
}

TEST_CASE("a command of blanks is refused where it stands", "[study]") {
  CHECK_THAT(problems_of(kCommandHead + "command: '  '\n"),
             Catch::StartsWith("s.yaml:5:10: command is blank; give the program"));
  CHECK_THAT(problems_of(kCommandHead + "command: [\" \", a]\n"),
             Catch::StartsWith("s.yaml:5:11: command begins with a blank program"));
  CHECK_THAT(problems_of(kCommandHead + "command: a\nsetup: ' '\n"),
             Catch::StartsWith("s.yaml:6:8: setup is blank"));
}

TEST_CASE("devices that do not reach the command are refused where they stand", "[study]") {
  CHECK_THAT(problems_of(kCommandHead + "command: [a]\naxes: {devices: [1, 2]}\n"),
             Catch::StartsWith("s.yaml:6:8: devices does not reach the command: \"devices=1\" and "
                               "\"devices=2\" would run the same") &&
                 Catch::Contains("env: {COUNT: \"{devices}\"}"));
  CHECK_THAT(
      problems_of(kCommandHead + "command: [a, \"{x}\"]\naxes: {x: [1], batch_global: [8, 16]}\n"),
      Catch::StartsWith("s.yaml:6:16: batch_global does not reach the command"));
  CHECK_THAT(
      problems_of(kCommandHead + "command: [a, \"{x}\"]\ninclude: [{x: 1, y: 1}, {x: 1, y: 2}]\n"),
      Catch::Contains("y does not reach the command"));
}

TEST_CASE("a name in a row that is a slip of a parameter is refused where it stands", "[study]") {
  const std::string head =
      kCommandHead + "command: [a, \"{devices}\", \"{threads}\"]\n" + "parameters: {threads: 2}\n";
  for (const char* section : {"zip", "include"}) {
    CAPTURE(section);
    CHECK_THAT(
        problems_of(head + section + ": [{devices: 1, thread: 3}, {devices: 2, thread: 4}]\n"),
        Catch::StartsWith("s.yaml:7:") &&
            Catch::Contains("thread does not reach the command, which takes threads = 2 in every "
                            "row; did you mean threads?"));
    CHECK_THAT(
        problems_of(head + section + ": [{devices: 1, treads: 3}, {devices: 2, treads: 4}]\n"),
        Catch::Contains("did you mean threads?"));
    CHECK(problems_of(head + section + ": [{devices: 1, gpu: a}, {devices: 2, gpu: b}]\n").empty());
  }
}

TEST_CASE("a row may say more of its cell under a short name or one that is alike", "[study]") {
  const auto problem = [](const std::string& taken, const std::string& more) {
    const std::string rows = "[{x: 1, " + more + ": a}, {x: 2, " + more + ": b}]\n";
    const std::string head = kCommandHead + "command: [a, \"{x}\", \"{" + taken +
                             "}\"]\nparameters: {" + taken + ": 4}\n";
    return problems_of(head + "zip: " + rows) + problems_of(head + "include: " + rows);
  };
  CHECK(problem("cpu", "gpu").empty());
  CHECK(problem("t", "n").empty());
  CHECK(problem("lr", "lr2").empty());
  CHECK(problem("batch_size", "patch_size").empty());
  CHECK(problem("num_layers", "num_levels").empty());
  CHECK(problem("layer1", "layer2").empty());
  CHECK(problem("train_batch", "train_batch1").empty());
  CHECK_FALSE(problem("train_batch", "train_bacth").empty());
  CHECK_FALSE(problem("train_batch", "trainn_batch").empty());
  CHECK_FALSE(problem("gpus", "gpu").empty());
}

TEST_CASE("a placeholder behind a $ is told from a variable of the shell", "[study]") {
  CHECK_THAT(problems_of(kCommandHead + "command: 'a ${devices}'\naxes: {devices: [1, 2]}\n"),
             Catch::StartsWith("s.yaml:5:10: ${devices} would become a $ and the value") &&
                 Catch::Contains("write {devices}"));
  CHECK_THAT(
      problems_of(kCommandHead + "command: 'a ${HOME}'\n"),
      Catch::StartsWith("s.yaml:5:10: ${HOME}: ") &&
          Catch::Contains("a shell takes $HOME; where no shell reads this argument, write the "
                          "value in full"));
  for (const char* unread : {"env: {DATA: \"${HOME}/data\"}\n",
                             "cwd: \"${HOME}/data\"\n",
                             "sides: [{name: p}, {name: q, env: {DATA: \"${HOME}/data\"}}]\n"}) {
    CAPTURE(unread);
    CHECK_THAT(problems_of(kCommandHead + "command: a\n" + unread),
               Catch::Contains("${HOME}: no shell reads this text; write the value in full"));
  }
  CHECK_THAT(
      problems_of(
          "version: 1\nstudy: s\nworkload: command\ncommand: a\nextract: [{metric: m, unit: s, "
          "regex: \"m ([0-9]+)\", from: {file: \"${HOME}/log\"}}]\n"),
      Catch::Contains("${HOME}: no shell reads this text; write the value in full"));
  CHECK(problems_of(kCommandHead + "command: 'a $HOME ${X:-1} {devices}'\naxes: {devices: [1]}\n")
            .empty());
}

TEST_CASE("an unknown name in per_step is asked for in parameters", "[study]") {
  CHECK_THAT(
      problems_of("version: 1\nstudy: s\nworkload: command\ncommand: a\nextract:\n"
                  "  - {metric: step_time_s, unit: s/epoch, regex: \"m ([0-9]+)\",\n"
                  "     per_step: '{devices} / {samples_per_epoch}'}\n"),
      Catch::Contains("{samples_per_epoch} names no parameter and no axis; give samples_per_epoch "
                      "a value in parameters, or make it an axis") &&
          !Catch::Contains("braces"));
}

TEST_CASE("a placeholder in a value, where nothing replaces it, is refused", "[study]") {
  const auto problem = [](const std::string& rest) {
    return problems_of(kCommandHead + "command: [a, \"{x}\"]\n" + rest);
  };
  CHECK_THAT(problem("axes: {x: [1, 2], env.N: [\"1\", \"-{x}\"]}\n"),
             Catch::StartsWith("s.yaml:6:32: {x} is replaced only in command, setup and env, not "
                               "in a value of env.N; write it there instead"));
  CHECK_THAT(problem("parameters: {y: \"{x}\"}\nzip: [{x: 1}, {x: 2}]\n"),
             Catch::StartsWith("s.yaml:6:17: {x} is replaced only"));
  CHECK(problem("axes: {x: [\"awk {print}\", \"${x} { x }\"]}\n").empty());
}

TEST_CASE("variables of a side are held to what zip and include vary, and to names", "[study]") {
  const auto problem = [](const std::string& rest) {
    return problems_of(kCommandHead + "command: [a, \"{x}\"]\n" + rest +
                       "sides: [{name: p}, {name: q, env: {X: \"{y}\"}}]\n");
  };
  CHECK_THAT(problem("axes: {x: [1, 2]}\n"),
             Catch::StartsWith("s.yaml:7:39: {y} names no parameter and no axis"));
  CHECK(problem("zip: [{x: 1, y: 1}, {x: 2, y: 2}]\n").empty());
  for (const char* section : {"zip", "include"}) {
    CAPTURE(section);
    const std::string rows = ": [{x: 1, y: 1, env.X: 1}, {x: 2, y: 1, env.X: 2}]\n";
    CHECK_THAT(problem(section + rows),
               Catch::Contains("env.X is varied, and set by a side as well"));
    CHECK_THAT(problem(section + std::string(": [{x: 1, y: 1, side: p}]\n")),
               Catch::Contains("side is what tells sides apart"));
  }
}

TEST_CASE("devices that reach the command somehow are none of the command's concern", "[study]") {
  for (const char* fine :
       {"command: [a, \"-n{devices}\"]\naxes: {devices: [1, 2]}\n",
        "command: [a]\nenv: {COUNT: \"{devices}\"}\naxes: {devices: [1, 2]}\n",
        "command: [a]\nsetup: [s, \"{devices}\"]\naxes: {devices: [1, 2]}\n",
        "command: [a]\ncwd: \"{devices}\"\naxes: {devices: [1, 2]}\n",
        "command: [a]\nzip: [{devices: 1, env.X: a}, {devices: 2, env.X: b}]\n",
        // Each is what the other stands for, and rules leave one of each pair.
        "command: [a]\naxes: {devices: [1, 2], env.X: [a, b]}\n"
        "exclude: [{devices: 1, env.X: b}, {devices: 2, env.X: a}]\n",
        // It is started on each node.
        "command: [a, \"{node_rank}\"]\nzip: [{nodes: 1, devices: 1}, {nodes: 2, devices: 2}]\n",
        "command: [a]\nsides: [{name: x, prefix: [\"p{devices}\"]}, {name: y, prefix: "
        "[\"q{devices}\"]}]\naxes: {devices: [1, 2]}\n",
        "command: [a]\nsides: [{name: x, env: {N: \"{devices}\"}}, {name: y, env: {N: "
        "\"-{devices}\"}}]\naxes: {devices: [1, 2]}\n",
        "command: [sh, -c, 'a \"$SCALESTUDY_PARAMETERS\"']\naxes: {devices: [1, 2]}\n",
        // One value says what the trials ran on.
        "command: [a, \"{x}\"]\naxes: {devices: [2], x: [1, 2]}\n"}) {
    CAPTURE(fine);
    CHECK(problems_of(kCommandHead + fine).empty());
  }
  // Without rules and placeholders it reads SCALESTUDY_PARAMETERS.
  CHECK(problems_of("version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
                    "axes: {devices: [1, 2]}\n")
            .empty());
}

TEST_CASE("a built-in workload has axes of the study's own where setup uses them", "[study]") {
  const std::string head = std::string(test::kHead) + "parameters: {batch_global: 8}\n";
  const Study study = study_of(head +
                               "axes: {power_cap: [200, 300]}\nsetup: nvidia-smi -pl {power_cap}\n"
                               "cleanup: [nvidia-smi, -pl, 300]\n"
                               "report: {labels: {power_cap: Power cap (W)}}\n");
  CHECK(study.setup == std::vector<std::string>{"sh", "-c", "nvidia-smi -pl {power_cap}"});
  CHECK(study.cleanup == std::vector<std::string>{"nvidia-smi", "-pl", "300"});
  const Matrix matrix = expand(study);
  REQUIRE(matrix.cells.size() == 2);
  CHECK(matrix.cells[1].label == "power_cap=300");
  CHECK(matrix.cells[0].hash != matrix.cells[1].hash);
  // A study without setup and cleanup keeps the hashes of its cells.
  CHECK(expand(study_of(head)).cells[0].hash ==
        expand(study_of(head + "setup: [\"true\"]\n")).cells[0].hash);

  CHECK_THAT(problems_of(head + "axes: {power_cap: [200, 300]}\n"),
             Catch::Contains("workload train has no parameter \"power_cap\"") &&
                 !Catch::Contains("into setup"));
  CHECK_THAT(problems_of(head + "axes: {power_cap: [200, 300]}\nsetup: nvidia-smi -pl 200\n"),
             Catch::Contains("no parameter \"power_cap\"") &&
                 Catch::Contains("; for one of your own, write {power_cap} into setup"));
  CHECK_THAT(problems_of(head + "axes: {power_cap: [200, 300]}\ncleanup: reset {power_cap}\n"),
             Catch::Contains("setup does not use power_cap: cells that differ in it alone would be "
                             "the same"));
  for (const char* rows : {"zip: [{power_cap: 200}, {power_cap: 300}]\n",
                           "include: [{power_cap: 200}, {power_cap: 300}]\n"}) {
    CAPTURE(rows);
    CHECK_THAT(problems_of(head + rows + "cleanup: reset {power_cap}\n"),
               Catch::Contains("setup does not use power_cap"));
    CHECK(problems_of(head + rows + "setup: nvidia-smi -pl {power_cap}\n").empty());
  }
  CHECK_THAT(problems_of(head + "setup: nvidia-smi -pl {power_cap}\n"),
             Catch::Contains("{power_cap} names no parameter and no axis"));
  CHECK_THAT(problems_of(head + "setup: echo {precision}\n"),
             Catch::Contains("{precision}: this study does not set precision. Give it a value in "
                             "parameters, or make it an axis"));
  CHECK_THAT(problems_of(head + "axes: {warmup_steps: [1, 2]}\nsetup: a {warmup_steps}\n"),
             Catch::Contains("warmup_steps is set by steps"));
}

TEST_CASE("cells whose baseline does not exist are told with the reason", "[study]") {
  const std::string rows = kCommandHead +
                           "command: [a, \"{devices}\", \"{q}\"]\n"
                           "zip: [{devices: 1, q: x}, {devices: 2, q: y}, {devices: 2, q: z}]\n";
  CHECK(missing_baselines(
            expand(study_of(rows + "analysis: {baseline: {devices: 1}, margin: 2%}\n"))) ==
        "2 of 3 cells cannot be compared with a baseline: devices=2 q=y (its baseline would be the "
        "cell devices=1 q=y, which the study does not have) and devices=2 q=z. Name in "
        "analysis.baseline all that sets the baseline apart");
  const std::string many = kCommandHead +
                           "command: [a, \"{devices}\", \"{q}\"]\n"
                           "zip: [{devices: 1, q: x}, {devices: 2, q: y}, {devices: 4, q: y}, "
                           "{devices: 8, q: y}, {devices: 16, q: y}, {devices: 32, q: y}]\n"
                           "analysis: {baseline: {devices: 1}, margin: 2%}\n";
  CHECK_THAT(
      missing_baselines(expand(study_of(many))),
      Catch::StartsWith("5 of 6 cells cannot be compared with a baseline: devices=2 q=y (") &&
          Catch::Contains("), devices=4 q=y, devices=8 q=y and 2 more. Name"));
  CHECK(missing_baselines(expand(study_of(rows + "analysis: {baseline: {devices: 1, q: x}}\n")))
            .empty());
  CHECK(missing_baselines(expand(study_of(rows))).empty());
}

TEST_CASE("what only a shell would replace is told", "[study]") {
  const auto told = [](const std::string& rest) {
    return unread_by_shell(
        study_of(kCommandHead + "command: [a, \"{x}\", $HOME]\naxes: {x: [1, 2]}\n" + rest + "\n"));
  };
  CHECK_THAT(told("env: {LIBRARY: \"/usr/lib:$HOME/lib\"}").at(0),
             Catch::StartsWith("env.LIBRARY holds a $NAME or ~/, which no shell replaces"));
  CHECK_THAT(told("env: {DATA: ~/data}").at(0), Catch::StartsWith("env.DATA "));
  CHECK_THAT(told("cwd: ~/project").at(0), Catch::StartsWith("cwd "));
  CHECK_THAT(told("sides: [{name: p}, {name: q, env: {X: $Y}}]").at(0),
             Catch::StartsWith("env.X of side q "));
  CHECK_THAT(told("zip: [{env.X: $Y}, {env.X: z}]").at(0), Catch::StartsWith("env.X "));
  CHECK(told("env: {X: \"$LIB:$HOME\"}").size() == 1);
  for (const char* path : {"${HOME}/data", "--xla_dump_to=$HOME/dump", "-O2 -I$HOME/include"}) {
    CAPTURE(path);
    CHECK(told(std::string("zip: [{env.X: \"") + path + "\"}, {env.X: z}]").size() == 1);
  }
  for (const char* meant : {"5 $ a piece, a~/b, $5", "pa$sword", "$ORIGIN/../lib:/usr/$LIB"}) {
    CAPTURE(meant);
    CHECK(told(std::string("env: {X: \"") + meant + "\"}").empty());
  }
  CHECK(told("env: {X: '\\$HOME'}").empty());
}

TEST_CASE("a label of no parameter and a version that is no command are refused", "[study]") {
  const std::string head = kCommandHead + "command: [a, \"{threads}\"]\naxes: {threads: [1, 2]}\n";
  CHECK_THAT(
      problems_of(head + "report: {labels: {thread: Threads}}\n"),
      Catch::StartsWith("s.yaml:7:19: report.labels.thread is not a parameter of this study (did "
                        "you mean \"threads\"?)"));
  CHECK(problems_of(head + "report: {labels: {threads: Threads, devices: GPUs}}\n").empty());
  for (const char* probe : {"python3 --version", "[python3, [a]]", "{a: b}", "[]"}) {
    CAPTURE(probe);
    CHECK_THAT(problems_of(head + "versions: {python: " + probe + "}\n"),
               Catch::Contains("versions.python is a command whose first line"));
  }
  for (const char* name : {"threads", "devices"}) {
    CHECK_THAT(problems_of(head + "versions: {python: [python3, '-{" + name + "}']}\n"),
               Catch::Contains("versions.python: {" + std::string(name) + "} has no value here"));
  }
  CHECK(problems_of(head + "versions: {python: [awk, '{print} {print $1}']}\n").empty());
  for (const char* blank : {"''", "' '"}) {
    CHECK_THAT(problems_of(head + "setup: " + blank + "\n"),
               Catch::Contains("setup is blank; give the program and its arguments"));
  }
  CHECK_THAT(problems_of(head + "setup: {a: b}\n"),
             Catch::Contains("setup must be a command line or a list, not a mapping"));
}

TEST_CASE("other names of the number of devices are told apart from it", "[study]") {
  CHECK_THAT(problems_of(std::string(test::kHead) + "axes: {gpus: [1], batch_global: [8]}\n"),
             Catch::Contains("no parameter \"gpus\"; the number of devices is devices"));
  CHECK_THAT(problems_of(kCommandHead + "command: [a, \"{world_size}\"]\n"),
             Catch::Contains("no axis; the number of devices is {devices}"));
  const std::string text =
      kCommandHead + "command: [a, \"{num_gpus}\"]\naxes: {num_gpus: [1, 2]}\n";
  const auto remarks = unseen_devices(study_of(text));
  REQUIRE(remarks.size() == 1);
  CHECK(remarks[0] ==
        "num_gpus is taken for a setting like any other: every cell counts as a run on 1 device. "
        "Efficiency and laws go by `devices`. Call the axis devices, and write {devices} where "
        "{num_gpus} stands");
  CHECK(unseen_devices(study_of(kCommandHead + "command: [a, \"{np}\"]\naxes: {np: [1, 2]}\n"))
            .size() == 1);
  CHECK(unseen_devices(study_of(text + "parameters: {devices: 2}\n")).empty());
  const auto of_variable = unseen_devices(
      study_of(kCommandHead + "command: [a]\naxes: {env.GPUS: [1, 2], env.TASKS: [1, 2]}\n"));
  REQUIRE(of_variable.size() == 1);
  CHECK_THAT(of_variable[0], Catch::Contains("set the variable by env: {GPUS: \"{devices}\"}"));
}

TEST_CASE("a command's batch may be more than a model could hold, and a number still", "[study]") {
  const auto problem = [](const char* batch) {
    return problems_of(kCommandHead + "command: [a]\nparameters: {batch_per_device: " + batch +
                       ", devices: 65536}\n");
  };
  CHECK(problem("2000000000").empty());
  CHECK(problem("1000000000000").empty());
  CHECK_THAT(problem("1000000000001"), Catch::Contains("an integer in [1, 1000000000000] samples"));
}

TEST_CASE("a command that varies NCCL is told that nothing confirms it", "[study]") {
  const auto remark = [](const std::string& more) {
    return unconfirmed_variables(study_of(kCommandHead + "command: [a]\n" + more));
  };
  const std::string axes = "axes: {env.NCCL_ALGO: [default, Ring]}\n";

  CHECK_THAT(remark(axes),
             Catch::Contains("whether NCCL applies env.NCCL_ALGO, so no verdict") &&
                 Catch::Contains("confirm: always"));
  CHECK(remark(axes + "validity: {confirm: always}\n").empty());
  CHECK(remark(axes + "validity: {confirm: never}\n").empty());
  CHECK(remark(axes + "where: remote\n").empty());
  CHECK(remark("axes: {env.OTHER: [1, 2]}\nparameters: {env.NCCL_ALGO: Ring}\n").empty());
}

TEST_CASE("a command on several devices is asked how much work a step does", "[study]") {
  const auto remark = [](const std::string& more) {
    const Study study =
        study_of("version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{devices}\"]\n" + more);
    return unstated_work(study, expand(study));
  };
  const std::string rule = "extract: [{metric: step_time_s, unit: s, regex: 't (.*)'}]\n";
  const std::string baseline = "analysis: {baseline: {devices: 1}}\n";
  const std::string text = rule + baseline + "axes: {devices: [1, 2]}\n";
  CHECK_THAT(remark(text), Catch::StartsWith("Nothing says how much work a step"));
  CHECK(remark(text + "parameters: {batch_global: 64}\n").empty());
  CHECK(remark(text + "parameters: {batch_per_device: 64}\n").empty());
  CHECK(remark(rule + "axes: {devices: [1, 2]}\n").empty());  // nothing is compared
  CHECK(remark(rule + baseline + "axes: {devices: [1]}\n").empty());
  CHECK(remark("extract: [{metric: step_time_s, from: wall_time}]\n" + baseline +
               "axes: {devices: [1, 2]}\n")
            .empty());
  // A search by another metric compares no speeds.
  const std::string latency =
      "extract: [{metric: step_time_s, unit: s, regex: 't (.*)'}, {metric: latency, unit: ms, "
      "regex: 'l (.*)'}]\nanalysis: {metrics: [{metric: latency, better: lower}]}\n"
      "axes: {devices: [1, 2, 4]}\n";
  CHECK(remark(latency + "search: {over: [devices], objective: latency, budget: 1min}\n").empty());
}

TEST_CASE("a printed throughput that another would take the place of is refused", "[study]") {
  const std::string rule =
      "version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{batch_global}\"]\n"
      "extract: [{metric: step_time_s, unit: s, regex: 't (.*)'}, {metric: throughput, unit: "
      "samples/s, regex: 'r (.*)'}]\n";
  CHECK_THAT(problems_of(rule + "axes: {batch_global: [8, 16]}\n"),
             Catch::StartsWith("s.yaml:5:") && Catch::Contains("Call it printed_throughput"));
  CHECK_THAT(problems_of(rule + "parameters: {batch_global: 8}\n"),
             Catch::Contains("follows from the batch and step_time_s"));
  const auto of_metrics = [](const std::string& first, const std::string& second) {
    return "version: 1\nstudy: s\nworkload: command\ncommand: [a, \"{batch_global}\"]\n"
           "axes: {batch_global: [8, 16]}\nextract: [{metric: step_time_s, unit: s, regex: "
           "'t (.*)'}, {metric: " +
           first + ", unit: s, regex: 'r (.*)'}, {metric: " + second +
           ", unit: '1', regex: 's (.*)'}]\n";
  };
  CHECK_THAT(problems_of(of_metrics("wall_s", "loss")),
             Catch::Contains("extract[1].metric is wall_s, which every trial has without a rule: "
                             "yours would not be seen. Call it printed_wall_s (analysis.metrics "
                             "compares it)\n"));
  for (const auto& [first, second] : {std::pair{"tokens_per_second", "tokens_per_sample"},
                                      std::pair{"tokens_per_sample", "tokens_per_second"}}) {
    CHECK_THAT(problems_of(of_metrics(first, second)),
               Catch::Contains("tokens_per_second follows from tokens_per_sample, the batch and "
                               "step_time_s here: yours would not be seen"));
  }
  CHECK(problems_of(of_metrics("cpu_s", "tokens_per_second")).empty());
}

TEST_CASE("a rule called like what the analysis computes is refused with another name", "[study]") {
  const auto problems = [](const std::string& metric) {
    return problems_of(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
        "extract: [{metric: step_time_s, unit: s, json_path: a}, {metric: " +
        metric + ", unit: '1', json_path: b}]\n");
  };
  CHECK_THAT(problems("efficiency"),
             Catch::StartsWith("s.yaml:5:66: extract[1].metric is efficiency, which the analysis "
                               "computes itself: yours would not be compared. Call it "
                               "printed_efficiency (analysis.metrics compares it)\n"));
  for (const char* metric :
       {"speedup", "communication_overhead", "cost_per_million_tokens", "transfer_overhead"}) {
    CAPTURE(metric);
    CHECK_FALSE(problems(metric).empty());
    CHECK(problems(std::string("printed_") + metric).empty());
  }
  // Of a program's own, targets may be about this one.
  CHECK(problems("model_flop_utilization").empty());
}
