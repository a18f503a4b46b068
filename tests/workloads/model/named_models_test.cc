// Trains every model of the zoo on the CPU, shrunken where it can be.
#include "tests/workloads/named_models.h"

#include <numeric>

#include "tests/workloads/trial.h"

using namespace scalestudy;

namespace {

// JSON of what makes a model of this name small; empty for models of one size.
std::string shrunken(const std::string& name) {
  if (name.starts_with("gpt") || name.starts_with("llama")) {
    return R"(, "model.layers": 1, "model.width": 32, "model.heads": 2, "model.sequence": 8,
              "model.vocabulary": 16)";
  }
  if (name.starts_with("resnet")) {
    return R"(, "model.layers": 1, "model.width": 4, "model.image": )" +
           std::string(name == "resnet50" ? "64" : "16");
  }
  if (name.starts_with("lstm") || name.starts_with("gru")) {
    return R"(, "model.width": 16, "model.sequence": 4)";
  }
  return name == "mlp-4096" ? R"(, "model.layers": 1)" : "";
}

}  // namespace

// Four batches are used in turn: the first four losses against the last four.
TEST_CASE("every named model trains on the CPU", "[train][slow]") {
  const std::string name = GENERATE(from_range(test::named_models()));
  INFO(name);

  const test::Trial trial =
      test::run_trial(1,
                      R"({"batch_global": 16, "optimizer": "adamw", "learning_rate": 0.003,
                          "warmup_steps": 0, "measured_steps": 16, "model": ")" +
                          name + '"' + shrunken(name) + "}");

  INFO(trial.result.err);
  REQUIRE(trial.result.exit_code == 0);
  const auto series = test::events_of<protocol::Samples>(trial.record);
  const std::vector<double>& losses = test::values_of(series, "loss");
  REQUIRE(losses.size() == 16);
  const double first = std::accumulate(losses.begin(), losses.begin() + 4, 0.0);
  const double last = std::accumulate(losses.end() - 4, losses.end(), 0.0);
  CAPTURE(first, last);
  CHECK(last < 0.9 * first);
}
