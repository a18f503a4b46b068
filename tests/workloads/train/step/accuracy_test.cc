// What a trained network is right in on samples that no rank trained on, against what is known.
#include <cmath>
#include <numeric>

#include "tests/support/catch.h"
#include "tests/workloads/stepped_trial.h"
#include "tests/workloads/trial.h"
#include "workloads/rank/program.h"
#include "workloads/train/step/trainer.h"

using namespace scalestudy;
using test::events_of;
using test::find_series;
using test::run_sound;
using test::values_of;

namespace {

using Series = std::vector<protocol::Samples>;

// Ten classes of 256 values, which separate. A fifth of all labels is another class.
const std::string kNoisyTask =
    R"("model": "lstm-332k", "model.sequence": 4, "model.width": 32, "optimizer": "adamw", )"
    R"("label_noise": 20, "train_samples": 4096, "held_out_samples": 4096, "warmup_steps": 1)";

// A smaller one in double precision: two epochs of eight steps.
const std::string kSmallTask =
    R"("model": "lstm-332k", "model.sequence": 2, "model.width": 16, "optimizer": "adamw", )"
    R"("precision": "fp64", "label_noise": 10, "train_samples": 256, "held_out_samples": 320, )"
    R"("warmup_steps": 1, "epochs": 2)";

Series series_of(const test::Trial& trial) {
  return events_of<protocol::Samples>(trial.record);
}

double accuracy_of(const test::Trial& trial) {
  const Series all = series_of(trial);
  REQUIRE(values_of(all, "accuracy").size() == 1);
  return values_of(all, "accuracy").front();
}

}  // namespace

// The best is 0.8; over sets of 4096 samples its standard deviation is sqrt(0.16 / 4096), and four
// of these are allowed above it. No loss is below the entropy of the noise,
// -0.8 ln 0.8 - 0.2 ln (0.2 / 9) = 0.94 nats.
TEST_CASE("a network that trains reaches the best accuracy and does not exceed it", "[train]") {
  const test::Trial trial =
      run_sound(1,
                kNoisyTask + R"(, "batch_per_device": 64, "learning_rate": 0.003, "epochs": 4, )"
                             R"("evaluate": "epochs")");
  const Series all = series_of(trial);
  const auto facts = events_of<protocol::Start>(trial.record).at(0).facts;

  CHECK(facts.at("best_accuracy") == Approx(0.8).epsilon(1e-12));
  CHECK(facts.at("best_accuracy_sd") == Approx(0.00625).epsilon(1e-12));
  const double accuracy = accuracy_of(trial);
  CHECK(accuracy <= 0.8 + 4.0 * 0.00625);
  CHECK(accuracy >= 0.77);
  const std::vector<double>& losses = values_of(all, "loss");
  REQUIRE(losses.size() == 4 * 64);
  REQUIRE(values_of(all, "epoch_accuracy").size() == 4);
  CHECK(values_of(all, "epoch_accuracy").back() == accuracy);
  CHECK(values_of(all, "epoch_held_out_loss").back() == values_of(all, "held_out_loss").front());
  CHECK(values_of(all, "epoch_held_out_loss").back() > 0.9);
  CHECK(values_of(all, "epoch_loss").front() > values_of(all, "epoch_loss").back());
  for (std::ptrdiff_t epoch = 0; epoch < 4; ++epoch) {
    const double sum =
        std::accumulate(losses.begin() + 64 * epoch, losses.begin() + 64 * (epoch + 1), 0.0);
    CHECK(values_of(all, "epoch_loss").at(static_cast<std::size_t>(epoch)) ==
          Approx(sum / 64.0).epsilon(1e-12));
  }
}

// Among ten classes one in ten is right by chance.
TEST_CASE("a learning rate of almost nothing leaves accuracy near chance", "[train]") {
  const double accuracy = accuracy_of(
      run_sound(1, kNoisyTask + R"(, "batch_per_device": 64, "learning_rate": 1e-7, "epochs": 1)"));

  CHECK(accuracy < 0.3);
}

TEST_CASE("accuracy with the same global batch does not depend on ranks or strategy", "[train]") {
  const test::Trial one =
      run_sound(1, kSmallTask + R"(, "batch_global": 32, "evaluate": "epochs")");
  REQUIRE(accuracy_of(one) > 0.11);

  const std::string nodes = R"(ddp", "allreduce": "hierarchical", "virtual_node_ranks": "2)";
  for (const auto& [ranks, strategy] : {std::pair<int, std::string>(2, "ddp"),
                                        {2, "zero1"},
                                        {2, "zero2"},
                                        {2, "fsdp"},
                                        {4, "ddp"},
                                        {4, "zero1"},
                                        {4, "zero2"},
                                        {4, "fsdp"},
                                        {4, nodes}}) {
    std::string parameters = kSmallTask;
    parameters += R"(, "batch_global": 32, "evaluate": "epochs")";
    parameters += strategy == nodes ? "" : R"(, "overlap": "poll")";
    parameters += R"(, "strategy": ")" + strategy + "\"";
    const test::Trial several = run_sound(ranks, parameters);
    INFO(ranks << " ranks, " << strategy);
    CHECK(accuracy_of(several) == accuracy_of(one));
    for (const char* metric : {"held_out_loss", "epoch_held_out_loss", "epoch_loss", "loss"}) {
      const Series here = series_of(one);
      const Series there = series_of(several);
      const std::vector<double>& expected = values_of(here, metric);
      REQUIRE(values_of(there, metric).size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        CHECK(values_of(there, metric)[i] == Approx(expected[i]).epsilon(1e-9));
      }
    }
  }
}

// Blocks take turns in few places, and those read ahead for backward are not needed.
TEST_CASE("a shared model of many units predicts between steps what a whole one does", "[train]") {
  const std::string flags =
      R"("model": "gpt-tiny", "model.layers": 4, "model.width": 32, "model.heads": 2, )"
      R"("model.sequence": 16, "model.vocabulary": 16, "precision": "fp64", "batch_global": 16, )"
      R"("train_samples": 64, "held_out_samples": 64, "epochs": 3, "evaluate": "epochs", )"
      R"("warmup_steps": 1)";
  const Series whole = series_of(run_sound(1, flags));

  for (const char* overlap : {"poll", "thread"}) {
    const Series shared = series_of(run_sound(
        2, flags + R"(, "strategy": "fsdp", "fsdp_prefetch": 2, "overlap": ")" + overlap + "\""));
    INFO(overlap);
    CHECK(values_of(shared, "epoch_accuracy") == values_of(whole, "epoch_accuracy"));
    CHECK(values_of(shared, "loss").back() ==
          Approx(values_of(whole, "loss").back()).epsilon(1e-9));
  }
}

// A network with dropout, whose masks follow the sample in training: were there some in evaluation,
// where every pass begins at sample 0, the two would not be the same.
TEST_CASE("micro-steps predict what a whole batch does, without dropout", "[train]") {
  const std::string flags =
      R"("model": "mlp-258k", "precision": "fp64", "batch_global": 32, "train_samples": 128, )"
      R"("held_out_samples": 256, "learning_rate": 0.05, "warmup_steps": 1, "epochs": 2)";
  const Series whole = series_of(run_sound(1, flags));
  const Series parts = series_of(run_sound(1, flags + R"(, "accumulation_steps": 4)"));

  CHECK(values_of(parts, "accuracy") == values_of(whole, "accuracy"));
  CHECK(values_of(parts, "held_out_loss").front() ==
        Approx(values_of(whole, "held_out_loss").front()).epsilon(1e-9));
}

TEST_CASE("the rate of two ranks, scaled linearly, is twice the rate", "[train]") {
  const std::string flags = kSmallTask + R"(, "batch_per_device": 16)";

  const Series scaled =
      series_of(run_sound(2, flags + R"(, "learning_rate": 0.001, "lr_scale": "linear")"));
  const Series twice = series_of(run_sound(2, flags + R"(, "learning_rate": 0.002)"));
  const Series once = series_of(run_sound(2, flags + R"(, "learning_rate": 0.001)"));
  CHECK(values_of(scaled, "loss") == values_of(twice, "loss"));
  CHECK(values_of(scaled, "loss") != values_of(once, "loss"));
}

// Epochs of eight steps: the loss of step 8 is still that of the first epoch's parameters.
TEST_CASE("a milestone slows down what comes after its epoch", "[train]") {
  const std::string flags = kSmallTask + R"(, "batch_per_device": 32)";

  const Series plain = series_of(run_sound(1, flags));
  const Series slowed = series_of(run_sound(1, flags + R"(, "lr_milestones": "1")"));
  const std::vector<double>& here = values_of(plain, "loss");
  const std::vector<double>& there = values_of(slowed, "loss");
  REQUIRE(here.size() == 16);
  CHECK(std::vector<double>(here.begin(), here.begin() + 9) ==
        std::vector<double>(there.begin(), there.begin() + 9));
  CHECK(here[9] != there[9]);
}

TEST_CASE("with vary_seed a block has the seed that its number adds up to", "[train]") {
  const std::string flags = kSmallTask + R"(, "batch_per_device": 32, "seed": )";

  const test::Trial varied =
      run_sound(1, flags + R"(2, "vary_seed": true)", {"SCALESTUDY_BLOCK=3"});
  const test::Trial fixed = run_sound(1, flags + "5", {"SCALESTUDY_BLOCK=3"});
  CHECK(values_of(series_of(varied), "loss") == values_of(series_of(fixed), "loss"));
  CHECK(accuracy_of(varied) == accuracy_of(fixed));
  const auto start = events_of<protocol::Start>(varied.record).at(0);
  CHECK(start.parameters.at("seed") == "5");
  CHECK(start.facts.at("seed") == 5.0);
  CHECK_FALSE(events_of<protocol::Start>(fixed.record).at(0).facts.contains("seed"));
}

TEST_CASE("the likeliest next token is right half of the time", "[train]") {
  const test::Trial trial =
      run_sound(1,
                R"("model": "gpt-tiny", "model.layers": 1, "model.width": 32, "model.heads": 2, )"
                R"("model.sequence": 16, "model.vocabulary": 16, "optimizer": "adamw", )"
                R"("learning_rate": 0.01, "batch_per_device": 32, "train_samples": 4096, )"
                R"("held_out_samples": 1024, "epochs": 2)");

  CHECK(events_of<protocol::Start>(trial.record).at(0).facts.at("best_accuracy") == 0.5);
  CHECK(accuracy_of(trial) >= 0.46);
  // Of 16,384 predictions, were they independent: 0.0039.
  CHECK(accuracy_of(trial) <= 0.5 + 4.0 * 0.0039);
  CHECK(values_of(series_of(trial), "held_out_loss").front() > 1.75 * std::log(2.0) - 0.03);
}

TEST_CASE("nothing is held out where nobody asks", "[train]") {
  const test::Trial trial = run_sound(1, R"("batch_per_device": 8, "measured_steps": 2)");

  CHECK(find_series(series_of(trial), "accuracy") == nullptr);
  CHECK(find_series(series_of(trial), "epoch_loss") == nullptr);
  CHECK_FALSE(events_of<protocol::Start>(trial.record).at(0).facts.contains("best_accuracy"));
}

TEST_CASE("memory counts what is held out", "[train]") {
  const auto facts =
      events_of<protocol::Start>(run_sound(1, kSmallTask + R"(, "batch_global": 32)").record)
          .at(0)
          .facts;

  CHECK(facts.at("memory_data_bytes") == facts.at("calculated_data_bytes"));
  // 576 samples of 128 doubles and a label, and the losses of 16 steps.
  CHECK(facts.at("memory_data_bytes") == 576.0 * (128.0 * 8.0 + 4.0) + 16.0 * 8.0);
}

TEST_CASE("a summary for people names accuracy and the best", "[train]") {
  const test::ProgramResult result = test::mpirun(1,
                                                  {test::train_program(),
                                                   "--model=lstm-332k",
                                                   "--model-sequence=2",
                                                   "--model-width=16",
                                                   "--batch-global=32",
                                                   "--train-samples=64",
                                                   "--held-out-samples=64",
                                                   "--label-noise=10",
                                                   "--warmup-steps=1",
                                                   "--epochs=1"});

  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains(" on 64 held-out samples (best 0.9000)"));
}

TEST_CASE("evaluation tells of each batch that it is done", "[train]") {
  std::size_t batches = 0;
  const int exit_code =
      rank::run_program(0, nullptr, [&](const rank::World& world, protocol::Writer*) {
        const auto trainer = train::make_trainer(
            train::make_options(train::complete(train::merge({},
                                                             {{"batch_per_device", "32"},
                                                              {"accumulation_steps", "2"},
                                                              {"train_samples", "64"},
                                                              {"held_out_samples", "96"}}),
                                                world.size())),
            world);
        trainer->evaluate([&] { ++batches; });
        return 0;
      });

  CHECK(exit_code == 0);
  CHECK(batches == 6);
}

// Two epochs of eight steps, the first of which ends in the measured phase or in the warm-up.
TEST_CASE("a measured phase that was evaluated or saved in is no time to take energy from",
          "[train]") {
  const std::string flags = kSmallTask.substr(0, kSmallTask.find(R"("warmup_steps")")) +
                            R"("batch_global": 32, "epochs": 2, "warmup_steps": )";
  const auto tells = [&](const std::string& more) {
    const auto facts = events_of<protocol::End>(run_sound(1, flags + more).record).at(0).facts;
    CHECK(facts.contains("measured_from_s") == facts.contains("measured_until_s"));
    return facts.contains("measured_until_s");
  };

  CHECK_FALSE(tells(R"(1, "evaluate": "epochs")"));
  CHECK(tells(R"(1, "evaluate": "end")"));
  CHECK(tells(R"(9, "evaluate": "epochs")"));
  for (const int every : {9, 10}) {
    const test::TemporaryFolder folder;
    CAPTURE(every);
    CHECK(tells(R"(9, "save_dir": ")" + folder.path().string() + R"(", "save_every": )" +
                std::to_string(every)) == (every == 9));
  }
}

// Eight steps to an epoch: one evaluation is in the warm-up, one at the end. Each evaluation is
// longer than a run may be silent for, and followed by a line of its phase.
TEST_CASE("a run shows that it is alive while it evaluates", "[train]") {
  const test::TemporaryFolder folder;
  const test::ProgramResult result = test::mpirun(
      1,
      {SCALESTUDY_TEST_BIN "/../tests/window_probe"},
      test::by_stepped_clock(
          {"SCALESTUDY_OUTPUT=" + folder.file("trial.jsonl"),
           "PROBE_EVALUATION=10.1",
           R"(SCALESTUDY_PARAMETERS={"batch_per_device": 8, "train_samples": 64, "epochs": 2, )"
           R"("held_out_samples": 8, "evaluate": "epochs", "warmup_steps": 12})"}));
  INFO(result.err);

  std::vector<std::string> phases;
  for (const auto& phase :
       events_of<protocol::Phase>(protocol::read_record(folder.file("trial.jsonl")))) {
    phases.push_back(phase.name);
  }
  CHECK(phases == std::vector<std::string>{"warmup", "warmup", "measure", "measure", "teardown"});
}
