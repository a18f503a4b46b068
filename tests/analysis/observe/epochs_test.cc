#include "harness/analysis/observe/epochs.h"

#include <limits>
#include <optional>

#include "tests/support/catch.h"

using namespace scalestudy;

namespace {

// Epoch i has the value i.
SeriesRow counting(std::size_t epochs) {
  SeriesRow series{
      .metric = "epoch_loss", .unit = "1", .rank = std::nullopt, .warmup_n = 0, .values = {}};
  for (std::size_t i = 1; i <= epochs; ++i) {
    series.values.push_back(static_cast<double>(i));
  }
  return series;
}

}  // namespace

TEST_CASE("each epoch is a metric of its own", "[analysis]") {
  TrialObservation trial;
  std::map<std::string, std::string> units;

  add_epochs(counting(3), trial, units);

  CHECK(trial.metrics.size() == 3);
  CHECK(trial.metrics.at("epoch_loss:1").mean == 1.0);
  CHECK(trial.metrics.at("epoch_loss:3").mean == 3.0);
  CHECK(trial.metrics.at("epoch_loss:3").steps == 1);
  CHECK(units.size() == 3);
  CHECK(units.at("epoch_loss:2") == "1");
}

// By hand: of 45 epochs every third, back from the last: 45, 42, ..., 3.
TEST_CASE("of many epochs some are kept, and the last", "[analysis]") {
  TrialObservation trial;
  std::map<std::string, std::string> units;

  add_epochs(counting(45), trial, units);

  CHECK(trial.metrics.size() == 15);
  CHECK(trial.metrics.at("epoch_loss:45").mean == 45.0);
  CHECK(trial.metrics.at("epoch_loss:3").mean == 3.0);
  CHECK_FALSE(trial.metrics.contains("epoch_loss:44"));
}

TEST_CASE("an epoch without a finite value has none", "[analysis]") {
  TrialObservation trial;
  std::map<std::string, std::string> units;
  SeriesRow series = counting(2);
  series.values[0] = std::numeric_limits<double>::infinity();

  add_epochs(series, trial, units);

  CHECK(trial.metrics.size() == 1);
  CHECK(trial.metrics.contains("epoch_loss:2"));
  CHECK(is_of_epochs("epoch_loss"));
  CHECK_FALSE(is_of_epochs("loss"));
}
