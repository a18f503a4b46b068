// What stages predict of held-out samples, against one rank with all of the network.
#include "tests/support/catch.h"
#include "tests/workloads/trial.h"

using namespace scalestudy;
using test::events_of;
using test::values_of;

namespace {

// Two epochs of eight steps, and ten batches that are held out.
const std::string kTwoEpochs =
    R"("precision": "fp64", "optimizer": "adamw", "batch_global": 24, "train_samples": 192, )"
    R"("held_out_samples": 240, "warmup_steps": 1, "epochs": 2, "evaluate": "epochs")";

const std::string kClasses =
    R"(, "model": "lstm-332k", "model.sequence": 2, "model.width": 16, "label_noise": 10)";
const std::string kDropout = R"(, "model": "mlp-258k", "label_noise": 10)";
const std::string kTokens =
    R"(, "model": "llama-7b", "model.layers": 2, "model.width": 32, "model.heads": 2, )"
    R"("model.sequence": 8, "model.vocabulary": 16)";
const std::string kTied =
    R"(, "model": "gpt-tiny", "model.layers": 2, "model.width": 32, "model.heads": 2, )"
    R"("model.sequence": 8, "model.vocabulary": 16)";
const std::string kStatistics =
    R"(, "model": "resnet50-cifar", "model.layers": 1, "model.width": 8, "model.image": 8)";

test::Trial run_two_epochs(int ranks, const std::string& more) {
  return test::run_sound(ranks, kTwoEpochs + more);
}

}  // namespace

// As many are right, and losses differ by rounding.
TEST_CASE("stages predict held-out samples as one rank does", "[train][slow]") {
  const auto [stages, model, parts] =
      GENERATE(table<int, std::string, std::string>({{2, kClasses, "1"},
                                                     {2, kClasses, "8"},
                                                     {3, kDropout, "4"},
                                                     {4, kTokens, "2"},
                                                     {3, kTied, "2"},
                                                     {2, kStatistics, "1"}}));
  CAPTURE(stages, model, parts);
  const std::string flags = model + R"(, "accumulation_steps": )" + parts;
  const auto one = events_of<protocol::Samples>(run_two_epochs(1, flags).record);

  const test::Trial trial = run_two_epochs(stages, flags + R"(, "strategy": "pipeline")");

  const auto all = events_of<protocol::Samples>(trial.record);
  CHECK(values_of(all, "epoch_accuracy").size() == 2);
  CHECK(values_of(all, "epoch_accuracy") == values_of(one, "epoch_accuracy"));
  CHECK(values_of(all, "accuracy") == values_of(one, "accuracy"));
  for (const char* metric : {"epoch_held_out_loss", "held_out_loss", "loss"}) {
    const std::vector<double>& expected = values_of(one, metric);
    REQUIRE(values_of(all, metric).size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(values_of(all, metric)[i] == Approx(expected[i]).epsilon(1e-9));
    }
  }
  const auto facts = events_of<protocol::Start>(trial.record).at(0).facts;
  for (const std::string part : {"data", "activations", "buffers"}) {
    CHECK(facts.at("memory_" + part + "_bytes") == facts.at("calculated_" + part + "_bytes"));
  }
}

TEST_CASE("what stages predict follows what they have learned", "[train]") {
  const auto accuracies = [](const std::string& rate) {
    return values_of(
        events_of<protocol::Samples>(
            run_two_epochs(2, kClasses + R"(, "strategy": "pipeline", "learning_rate": )" + rate)
                .record),
        "accuracy");
  };

  CHECK(accuracies("0.01") > accuracies("1e-7"));
}
