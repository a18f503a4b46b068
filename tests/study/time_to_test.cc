// analysis.time_to: what a study may ask to be reached.
#include "harness/study/parameters/time_to.h"

#include "harness/study/matrix/matrix.h"
#include "harness/study/parse.h"
#include "tests/study/study_text.h"
#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

const std::string kTrain =
    "version: 1\nstudy: s\nworkload: train\nparameters: {model: mlp-258k, batch_global: 64, "
    "train_samples: 128, held_out_samples: 64, epochs: 3, evaluate: epochs}\n"
    "axes: {devices: [1, 2]}\nsteps: {warmup: 0, measured: rest}\ntrials: {count: 3}\n"
    "analysis: {time_to: [{metric: accuracy, at_least: 85%}, {metric: loss, at_most: 0.5}]}\n";

}  // namespace

TEST_CASE("a goal is a metric and the value to reach from one side", "[study]") {
  const Study study = test::study_of(kTrain);

  REQUIRE(study.analysis.time_to.size() == 2);
  const TimeToRequest& accuracy = study.analysis.time_to[0];
  CHECK(time_to_metric(accuracy) == "time_to:accuracy:0.85");
  CHECK(reached_metric(accuracy) == "reached:accuracy:0.85");
  CHECK(series_to_reach(study.workload, accuracy) == "epoch_accuracy");
  CHECK(describe_goal(study, accuracy) == "accuracy 85 %");
  CHECK(describe_goal(study, {.metric = "accuracy", .at_least = 85.0, .at_most = {}}) ==
        "accuracy 85");
  CHECK(accuracy.is_reached_by(0.85));
  CHECK_FALSE(accuracy.is_reached_by(0.8499));
  const TimeToRequest& loss = study.analysis.time_to[1];
  CHECK(series_to_reach(study.workload, loss) == "loss");
  CHECK(describe_goal(study, loss) == "loss 0.5");
  CHECK(loss.is_reached_by(0.5));
  CHECK_FALSE(loss.is_reached_by(0.51));
}

TEST_CASE("a goal that no trial can tell is refused", "[study]") {
  CHECK(test::problems_of(kTrain, {}).empty());
  CHECK(test::problems_of(kTrain, {"parameters.evaluate=end"}).find("only with evaluate: epochs") !=
        std::string::npos);
  CHECK(test::problems_of(kTrain, {"analysis.time_to.0.metric=accurracy"})
            .find("did you mean \"accuracy\"?") != std::string::npos);
  CHECK(test::problems_of(kTrain, {"analysis.time_to.0.at_most=90%"}).find("exactly one of") !=
        std::string::npos);
  CHECK(test::problems_of(kTrain, {"analysis.time_to.0.at_least=null"}).find("exactly one of") !=
        std::string::npos);
  CHECK(test::problems_of(kTrain, {"analysis.time_to.1={metric: accuracy, at_least: 0.85}"})
            .find("is given twice") != std::string::npos);
  const std::string command =
      "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
      "extract: [{metric: step_time_s, unit: s, json_path: a}]\ntrials: {count: 3}\n"
      "analysis: {time_to: [{metric: loss, at_most: 1}]}\n";
  CHECK(test::problems_of(command, {}).find("loss is given by no extract rule") !=
        std::string::npos);
}

TEST_CASE("a percentage to reach is in the unit that the metric is stored in", "[study]") {
  const auto text = [](const std::string& unit, const std::string& amount) {
    return "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
           "extract: [{metric: step_time_s, unit: s, json_path: a}, {metric: accuracy, unit: \"" +
           unit +
           "\", json_path: b}]\nanalysis: {time_to: [{metric: accuracy, at_least: " + amount +
           "}]}\n";
  };
  const auto study = [&](const std::string& unit, const std::string& amount) {
    return test::study_of(text(unit, amount));
  };
  const auto stored = [&](const std::string& unit, const std::string& amount) {
    return parse_stored_study(text(unit, amount), "s.yaml");
  };
  const auto level = [&](const std::string& unit, const std::string& amount) {
    return study(unit, amount).analysis.time_to.at(0).at_least;
  };
  CHECK(level("%", "60%") == 60.0);  // such a program prints 62.58
  CHECK(stored("%", "60").analysis.time_to.at(0).at_least == 60.0);
  CHECK_THAT(test::problems_of(text("%", "60")),
             Catch::Contains("analysis.time_to[0].at_least is 60, of a metric whose extract rule "
                             "reads percent; write 60%\n"));
  CHECK(level("1", "60%") == 0.6);
  CHECK(level("1", "0.6") == 0.6);
  for (const char* unit : {"percent", "Per cent", "pct"}) {
    CAPTURE(unit);
    CHECK(level(unit, "60%") == 60.0);
    CHECK(level(unit, "62.58 %") == 62.58);
    CHECK(has_hash(study(unit, "60%"), study_hash(stored(unit, "0.6"))));
  }
  CHECK(has_hash(study("%", "60%"), study_hash(stored("%", "0.6"))));  // as it was taken before
  const auto goal = [&](const std::string& unit, const std::string& amount) {
    const Study asked = study(unit, amount);
    return describe_goal(asked, asked.analysis.time_to.at(0));
  };
  CHECK(goal("%", "60%") == "accuracy 60 %");
  CHECK(goal("%", "0.5%") == "accuracy 0.5 %");
  CHECK(goal("1", "0.6") == "accuracy 60 %");
  CHECK_THAT(test::problems_of(kTrain, {"analysis.time_to.0.at_least=85"}),
             Catch::Contains("at_least is 85, that is 8500 %; write 85% or 0.85"));
}

TEST_CASE("a bound on a share that is printed in percent is a share", "[study]") {
  const auto text = [](const std::string& amount) {
    return "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
           "extract: [{metric: step_time_s, unit: s, json_path: a}, {metric: gpu_busy_share, "
           "unit: '%', json_path: b}]\n"
           "analysis: {metrics: [{metric: gpu_busy_share, better: higher}], targets: [{name: busy, "
           "metric: gpu_busy_share, at_least: " +
           amount + "}]}\n";
  };
  const auto bound = [](const Study& study) { return study.analysis.targets.at(0).at_least; };

  CHECK(bound(test::study_of(text("90%"))) == 0.9);
  CHECK_THAT(test::problems_of(text("90")),
             Catch::Contains("at_least is 90, of a metric whose extract rule reads percent; write "
                             "90%"));
  CHECK_THAT(test::problems_of(text("0.85")), Catch::Contains("write 85%, or 0.85%"));
  // Stored studies had bounds in percent, and their hashes hold these.
  CHECK(bound(parse_stored_study(text("90"), "s.yaml")).value_or(0.0) == Approx(0.9));
  Study before = test::study_of(text("90%"));
  before.analysis.targets[0].at_least = 90.0;
  CHECK(has_hash(test::study_of(text("90%")), study_hash(before)));
}

TEST_CASE("a stored bound on a share may be a percentage where the program writes the protocol",
          "[study]") {
  const auto text = [](const std::string& amount) {
    return "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
           "analysis: {metrics: [{metric: gpu_busy_share, better: higher}], targets: [{name: busy, "
           "metric: gpu_busy_share, at_least: " +
           amount + "}]}\n";
  };
  const auto stored = [&](const std::string& amount) {
    return parse_stored_study(text(amount), "s.yaml").analysis.targets.at(0).at_least.value_or(0.0);
  };

  CHECK(stored("90") == Approx(0.9));
  CHECK(stored("0.9") == 0.9);
  CHECK_THAT(test::problems_of(text("90")), Catch::Contains("write 90% or 0.9"));
  Study before = test::study_of(text("90%"));
  before.analysis.targets[0].at_least = 90.0;
  CHECK(has_hash(parse_stored_study(text("90"), "s.yaml"), study_hash(before)));
}

TEST_CASE("the harness's own efficiency is a share, whatever a program calls by its name",
          "[study]") {
  const Study study = parse_stored_study(
      "version: 1\nstudy: s\nworkload: command\ncommand: [a, '{devices}']\n"
      "axes: {devices: [1, 2]}\n"
      "extract: [{metric: step_time_s, unit: s, json_path: a}, {metric: efficiency, unit: '%', "
      "json_path: b}]\nanalysis: {baseline: {devices: 1}, targets: [{name: t, metric: efficiency, "
      "at_least: 0.8}]}\n",
      "s.yaml");

  CHECK(study.analysis.targets.at(0).at_least == 0.8);
}

TEST_CASE("a share is printed in percent or as a part of 1", "[study]") {
  const auto problems = [](const std::string& metric, const std::string& unit) {
    return test::problems_of(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
        "extract: [{metric: step_time_s, unit: s, json_path: a}, {metric: " +
        metric + ", unit: '" + unit + "', json_path: b}]\n");
  };
  for (const char* unit : {"1", "%", "percent", "Percent", "per cent", "PCT"}) {
    CAPTURE(unit);
    CHECK(problems("gpu_busy_share", unit).empty());
  }
  CHECK_THAT(problems("gpu_busy_share", "permille"),
             Catch::Contains("unit is \"permille\"; gpu_busy_share is a share by its name: write "
                             "unit: \"%\" if the program prints 90 for 90 %"));
  CHECK_FALSE(problems("update_share", "permille").empty());
  CHECK(problems("my_share", "permille").empty());
}

TEST_CASE("a command's share of a step can be asked for by the times of its parts", "[study]") {
  const auto problems = [](const std::string& metric, const std::string& rules) {
    return test::problems_of(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
        "extract: [{metric: step_time_s, unit: s, json_path: a}" +
        rules + "]\nanalysis: {metrics: [{metric: " + metric +
        ", better: lower}], targets: [{name: t, metric: " + metric + ", at_most: 15%}]}\n");
  };
  const std::string exposed = ", {metric: exposed_communication_time_s, unit: s, json_path: b}";
  const std::string forward = ", {metric: forward_time_s, unit: s, json_path: c}";

  CHECK(problems("exposed_communication_share", exposed).empty());
  CHECK_THAT(problems("exposed_communication_share", ""),
             Catch::Contains("needs extract rules for exposed_communication_time_s"));
  CHECK_THAT(problems("computation_share", forward),
             Catch::Contains("needs extract rules for backward_time_s"));
}
