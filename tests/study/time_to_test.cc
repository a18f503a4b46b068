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
  CHECK(describe_goal(accuracy) == "accuracy 85 %");
  CHECK(describe_goal({.metric = "accuracy", .at_least = 85.0, .at_most = {}}) == "accuracy 85");
  CHECK(accuracy.is_reached_by(0.85));
  CHECK_FALSE(accuracy.is_reached_by(0.8499));
  const TimeToRequest& loss = study.analysis.time_to[1];
  CHECK(series_to_reach(study.workload, loss) == "loss");
  CHECK(describe_goal(loss) == "loss 0.5");
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
  const auto study = [](const std::string& unit, const std::string& amount) {
    return test::study_of(
        "version: 1\nstudy: s\nworkload: command\ncommand: [a]\n"
        "extract: [{metric: step_time_s, unit: s, json_path: a}, {metric: accuracy, unit: \"" +
        unit + "\", json_path: b}]\nanalysis: {time_to: [{metric: accuracy, at_least: " + amount +
        "}]}\n");
  };
  const auto level = [&](const std::string& unit, const std::string& amount) {
    return study(unit, amount).analysis.time_to.at(0).at_least;
  };
  CHECK(level("%", "60%") == 60.0);  // such a program prints 62.58
  CHECK(level("%", "60") == 60.0);
  CHECK(level("1", "60%") == 0.6);
  CHECK(level("1", "0.6") == 0.6);
  CHECK(has_hash(study("%", "60%"), study_hash(study("%", "0.6"))));  // as it was taken before
  CHECK_THAT(test::problems_of(kTrain, {"analysis.time_to.0.at_least=85"}),
             Catch::Contains("at_least is 85, that is 8500 %; write 85% or 0.85"));
}
