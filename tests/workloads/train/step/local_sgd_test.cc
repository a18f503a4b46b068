// Local SGD: what it averages and when, what travels for it, and that it learns.
#include <algorithm>
#include <numeric>

#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/probe.h"
#include "tests/workloads/trial.h"

using namespace scalestudy;
using test::events_of;
using test::Flags;
using test::Probe;
using test::relative_difference;
using test::values_of;
using test::with;

namespace {

std::vector<Probe> train_locally(int ranks,
                                 const std::string& model,
                                 const Flags& flags,
                                 const std::vector<std::string>& environment = {}) {
  const Flags common = {"--batch-global=16", "--warmup-steps=0"};
  return test::train(ranks,
                     test::network_of(model),
                     with(with(test::flags_of(model), common), flags),
                     environment);
}

Flags local(const std::string& every) {
  return {"--strategy=local_sgd", "--sync-every=" + every};
}

// Elements of the small network, each tensor padded to 128 bytes.
double padded_elements(std::size_t element_bytes) {
  double sum = 0.0;
  for (const std::size_t count : {24 * 40, 40, 40 * 17, 17, 17 * 8, 8}) {
    const std::size_t step = 128 / element_bytes;
    const std::size_t padded = (count + step - 1) / step * step;
    sum += static_cast<double>(padded);
  }
  return sum;
}

test::Trial run_local(int ranks, const std::string& parameters) {
  return test::run_sound(ranks, R"("strategy": "local_sgd", "sync_every": 4, )" + parameters);
}

}  // namespace

// An update by the mean gradient is the mean of updates by the ranks' own, as long as these are
// linear in them: sgd with momentum is.
TEST_CASE("averaged after every step, sgd ends where sums of gradients do", "[train]") {
  const std::string model = GENERATE("mlp", "gpt-tiny", "resnet50-cifar");
  const Flags rule = GENERATE(Flags{"--momentum=0"},
                              Flags{"--momentum=0.9", "--weight-decay=0.1"},
                              Flags{"--momentum=0", "--accumulation-steps=2"});
  CAPTURE(model, rule.back());
  const Flags flags = with({"--precision=fp64", "--measured-steps=5"}, rule);

  for (const int ranks : {2, 4}) {
    const std::vector<Probe> sums = train_locally(ranks, model, flags);
    const std::vector<Probe> probes = train_locally(ranks, model, with(flags, local("1")));
    for (std::size_t rank = 0; rank < probes.size(); ++rank) {
      CHECK(relative_difference(sums[rank].parameters, probes[rank].parameters) <= 1e-12);
      CHECK(relative_difference(sums[rank].losses, probes[rank].losses) <= 1e-12);
    }
  }
}

TEST_CASE("one rank is plain training to the bit, however often it averages", "[train]") {
  const Flags rule = GENERATE(Flags{"--momentum=0.9"}, Flags{"--optimizer=adamw"});
  const Flags flags = with({"--measured-steps=6"}, rule);
  const Probe plain = train_locally(1, "mlp", flags).front();

  for (const std::string every : {"1", "3"}) {
    const Probe probe = train_locally(1, "mlp", with(flags, local(every))).front();
    CHECK(probe.parameters == plain.parameters);
    CHECK(probe.losses == plain.losses);
  }
}

// Without communication each rank goes on by itself; nothing else tells the two runs apart before
// the first average.
TEST_CASE("after a turn every rank has the mean of what ranks have by themselves", "[train]") {
  const int ranks = GENERATE(2, 4);
  const Flags flags = with({"--precision=fp64", "--measured-steps=4"}, local("4"));
  const std::vector<Probe> alone = train_locally(ranks, "mlp", with(flags, {"--comm=noop"}));
  REQUIRE(relative_difference(alone[0].parameters, alone[1].parameters) > 1e-4);
  std::vector<double> mean(alone[0].parameters.size());
  for (const Probe& probe : alone) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += probe.parameters[i] / ranks;
    }
  }

  for (const Probe& probe : train_locally(ranks, "mlp", flags)) {
    CHECK(relative_difference(mean, probe.parameters) <= 1e-15);
  }
}

// Of the eleven steps counted the 4th, 8th and 12th of the run average: one all-reduce of all
// parameters each, of which a rank sends 2 (N-1)/N.
TEST_CASE("parameters travel in every fourth step, and nothing does in the others", "[train]") {
  const int ranks = GENERATE(2, 4);
  const Flags flags = with({"--precision=fp64", "--measured-steps=12"}, local("4"));
  const double bytes = 8.0 * padded_elements(8);

  for (const Probe& probe : train_locally(ranks, "mlp", flags)) {
    CHECK(probe.calls == 3);
    CHECK(probe.bytes == 3.0 * bytes);
    CHECK(probe.traffic == Approx(3.0 * 2.0 * (ranks - 1) / ranks * bytes));
    // The plan says a mean over steps, and the probe counts one step less.
    CHECK(probe.traffic == Approx(probe.planned_traffic / 11.0 * 12.0).epsilon(1e-9));
    CHECK(probe.memory == probe.calculated);
    CHECK(probe.allocations == 0);
  }
}

TEST_CASE("all ranks end with the same bits behind an average of local steps", "[train]") {
  const int ranks = GENERATE(2, 4);
  const std::vector<Probe> probes =
      train_locally(ranks, "mlp", with({"--measured-steps=8", "--optimizer=adamw"}, local("4")));

  for (const Probe& probe : probes) {
    CHECK(probe.parameters == probes.front().parameters);
  }
}

// The fp32 master values travel; the 16-bit parameters are what is rounded of their mean.
TEST_CASE("16-bit parameters are averaged by their master values", "[train]") {
  const Flags flags = {"--measured-steps=5", "--momentum=0"};
  const std::vector<std::string> bf16 = {"SCALESTUDY_PROBE_PRECISION=bf16"};

  const Probe sums = train_locally(2, "mlp", flags, bf16).front();
  const std::vector<Probe> probes = train_locally(2, "mlp", with(flags, local("1")), bf16);

  CHECK(probes[0].parameters == probes[1].parameters);
  CHECK(relative_difference(sums.parameters, probes[0].parameters) <= 2e-3);
  CHECK(probes[0].bytes == 4.0 * 4.0 * padded_elements(2));
  CHECK(probes[0].traffic == Approx(probes[0].planned_traffic).epsilon(1e-9));
  CHECK(probes[0].memory == probes[0].calculated);
}

TEST_CASE("the controls without averages leave parameters alone", "[train]") {
  const std::string control = GENERATE("--comm=noop", "--payload=element");

  const std::vector<Probe> probes =
      train_locally(2, "mlp", with({"--measured-steps=40", control}, local("4")));

  CHECK(probes[0].calls == (control == "--comm=noop" ? 0 : 10));
  for (const double loss : probes[0].losses) {
    CHECK(loss < 10.0);
  }
  CHECK(probes[0].losses.back() < 0.9 * probes[0].losses.front());
}

TEST_CASE("a network that averages every eighth step learns what others learn", "[train]") {
  const Flags flags = {"--batch-global=32",
                       "--warmup-steps=0",
                       "--measured-steps=800",
                       "--momentum=0",
                       "--learning-rate=0.1"};

  const Probe probe = test::train(2, {"16,32,4", "0"}, with(flags, local("8"))).front();

  CHECK(probe.losses.back() < 0.05 * probe.losses.front());
}

// The task of accuracy_test.cc, of which nothing is right in more than 0.8, and its limits.
TEST_CASE("two ranks that average every fourth step reach the best accuracy", "[train]") {
  const test::Trial trial = run_local(
      2,
      R"("model": "lstm-332k", "model.sequence": 4, "model.width": 32, "optimizer": "adamw", )"
      R"("label_noise": 20, "train_samples": 4096, "held_out_samples": 4096, "warmup_steps": 4, )"
      R"("batch_per_device": 32, "learning_rate": 0.003, "epochs": 4)");

  const double accuracy = values_of(events_of<protocol::Samples>(trial.record), "accuracy").front();
  CHECK(accuracy <= 0.8 + 4.0 * 0.00625);
  CHECK(accuracy >= 0.77);
}

TEST_CASE("communication is in the steps that average, and in no other", "[train]") {
  const test::Trial trial =
      run_local(2, R"("batch_per_device": 8, "warmup_steps": 4, "measured_steps": 16)");
  const auto series = events_of<protocol::Samples>(trial.record);

  for (const char* metric :
       {"communication_time_s", "exposed_communication_time_s", "collective_transfer_time_s"}) {
    const std::vector<double>& values = values_of(series, metric);
    REQUIRE(values.size() == 20);
    for (std::size_t i = 0; i < values.size(); ++i) {
      CAPTURE(metric, i);
      CHECK((values[i] > 0.0) == (i % 4 == 3));
    }
  }
}

TEST_CASE("a summary for people says which steps are not in its medians", "[train]") {
  const test::ProgramResult result = test::mpirun(1,
                                                  {test::train_program(),
                                                   "--strategy=local_sgd",
                                                   "--sync-every=4",
                                                   "--batch-global=8",
                                                   "--warmup-steps=4",
                                                   "--measured-steps=4"});

  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("rank, one in 4 of which averages parameters:"));
}

TEST_CASE("phases that last for a time are whole turns, and replicas agree behind them",
          "[train]") {
  const test::Trial trial =
      run_local(2,
                R"("batch_per_device": 8, "warmup_steps": 4, "measured_steps": 4, )"
                R"("warmup_time_s": 0.05, "measured_time_s": 0.05)");
  const auto series = events_of<protocol::Samples>(trial.record);

  const protocol::Samples* const steps = test::find_series(series, "step_time_s");
  REQUIRE(steps != nullptr);
  CHECK(steps->warmup % 4 == 0);
  CHECK(steps->values.size() % 4 == 0);
  const auto checks = events_of<protocol::Check>(trial.record);
  CHECK(std::any_of(checks.begin(), checks.end(), [](const protocol::Check& check) {
    return check.name == "replicas_equal" && check.passed;
  }));
}
