// Trains on 1, 2 and 4 real MPI ranks and compares.
#include <cmath>
#include <numeric>

#include "tests/support/catch.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Model;
using test::Probe;
using test::relative_difference;
using test::with;

namespace {

const Model kThreeLayers = {"24,40,17,8", "0.2"};

// A model of the zoo instead of widths, shrunken.
const Model kNamed = {"-", "-"};

std::vector<std::string> small_transformer(const std::string& name) {
  return {"--model=" + name,
          "--model-layers=2",
          "--model-width=32",
          "--model-heads=2",
          "--model-sequence=16",
          "--model-vocabulary=16"};
}

const std::vector<std::string> kFiveStepsOf16 = {"--batch-global=16", "--measured-steps=5"};

}  // namespace

TEST_CASE("several ranks equal one rank with their whole batch in fp64", "[train]") {
  const auto variant =
      GENERATE(std::vector<std::string>{"--loss=cross_entropy", "--optimizer=sgd"},
               std::vector<std::string>{"--loss=mse", "--optimizer=adamw", "--overlap=poll"},
               std::vector<std::string>{"--loss=mse", "--overlap=thread"},
               std::vector<std::string>{"--strategy=ddp_serial", "--accumulation-steps=2"});
  // 0.001 MiB makes several buckets of this small network.
  const auto flags = with(with(kFiveStepsOf16, variant),
                          {"--precision=fp64", "--bucket-mb=0.001", "--first-bucket-mb=0.001"});
  const Probe one = test::train(1, kThreeLayers, flags).front();

  for (const int ranks : {2, 4}) {
    for (const Probe& probe : test::train(ranks, kThreeLayers, flags)) {
      CHECK(relative_difference(one.parameters, probe.parameters) <= 1e-12);
    }
  }
}

TEST_CASE("unequal shares of a batch equal one rank with all of it", "[train]") {
  const auto variant =
      GENERATE(std::vector<std::string>{"--loss=cross_entropy", "--optimizer=sgd"},
               std::vector<std::string>{"--loss=mse", "--optimizer=adamw", "--overlap=poll"},
               std::vector<std::string>{"--strategy=zero1"});
  const auto flags = with(with(kFiveStepsOf16, variant),
                          {"--precision=fp64", "--bucket-mb=0.001", "--first-bucket-mb=0.001"});
  const Probe one = test::train(1, kThreeLayers, flags).front();

  for (const auto& [ranks, shares] : {std::pair(2, "--shares=1:3"), {4, "--shares=1:4:2:1"}}) {
    for (const Probe& probe : test::train(ranks, kThreeLayers, with(flags, {shares}))) {
      CHECK(relative_difference(one.parameters, probe.parameters) <= 1e-12);
    }
  }
}

// Rank 1 sleeps 100 ms in steps of 0.1 ms: a rank with a hundredth of a core is faster still.
TEST_CASE("shares by measured speed equal one rank with all of the batch", "[train]") {
  const auto variant = GENERATE(std::vector<std::string>{"--optimizer=adamw", "--clip-norm=0.01"},
                                std::vector<std::string>{"--strategy=fsdp", "--overlap=poll"});
  const auto flags = with(with(kFiveStepsOf16, variant), {"--precision=fp64", "--bucket-mb=0.001"});
  const Probe one = test::train(1, kThreeLayers, flags).front();

  for (const int ranks : {2, 4}) {
    const std::vector<Probe> probes = test::train(
        ranks,
        kThreeLayers,
        with(flags, {"--shares=proportional", "--straggler-rank=1", "--straggler-ms=100"}));
    long batch = 0;
    for (const Probe& probe : probes) {
      CHECK(relative_difference(one.parameters, probe.parameters) <= 1e-12);
      batch += probe.share;
    }
    CHECK(batch == one.share);
    CHECK(probes.at(1).share == 1);  // of at least 4, and no less than one
    CHECK(probes.at(0).share > probes.at(1).share);
  }
}

TEST_CASE("several ranks equal one rank with their whole batch in fp32", "[train]") {
  const Model model = {"mlp-258k", "-"};
  const auto flags =
      with(kFiveStepsOf16, {"--overlap=poll", "--bucket-mb=0.1", "--first-bucket-mb=0.1"});
  const Probe one = test::train(1, model, flags).front();

  for (const int ranks : {2, 4}) {
    CHECK(relative_difference(one.parameters,
                              test::train(ranks, model, flags).front().parameters) <= 1e-5);
  }
}

// Dropout is on: its masks follow the sample, not the micro-step.
TEST_CASE("micro-steps equal one step with their whole batch", "[train]") {
  const auto flags =
      with(kFiveStepsOf16, {"--precision=fp64", "--overlap=poll", "--bucket-mb=0.001"});
  const Probe one = test::train(1, kThreeLayers, flags).front();

  for (const auto* parts : {"--accumulation-steps=2", "--accumulation-steps=16"}) {
    const Probe probe = test::train(1, kThreeLayers, with(flags, {parts})).front();
    CHECK(relative_difference(one.parameters, probe.parameters) <= 1e-12);
    CHECK(relative_difference(one.losses, probe.losses) <= 1e-12);
    CHECK(probe.calls == one.calls);  // gradients travel with the last micro-step only
  }
}

TEST_CASE("ddp_serial sends all gradients in one call", "[train]") {
  const auto flags = with(kFiveStepsOf16, {"--bucket-mb=0.001", "--first-bucket-mb=0.001"});

  CHECK(test::train(2, kThreeLayers, flags)[0].calls > 4);
  CHECK(test::train(2, kThreeLayers, with(flags, {"--strategy=ddp_serial"}))[0].calls == 4);
}

// 1,314,952 gradients of 8 bytes: 10.0 MiB, sent in pieces of 8 MiB in each of the four steps
// counted.
TEST_CASE("a large message travels in pieces and is summed whole", "[train]") {
  const Model wide = {"64,1200,1024,8", "0"};
  const auto flags = with(kFiveStepsOf16, {"--precision=fp64", "--strategy=ddp_serial"});

  const Probe two = test::train(2, wide, flags).front();

  CHECK(two.calls == 8);
  CHECK(relative_difference(test::train(1, wide, flags).front().parameters, two.parameters) <=
        1e-12);
}

// Each sum is rounded to 8 bits, about 2^-9 of a gradient, or to 11.
TEST_CASE("gradients that travel in 16 bits are half the bytes and the same to their precision",
          "[train]") {
  const auto [type, most] = GENERATE(table<std::string, double>({{"bf16", 1e-2}, {"fp16", 1e-3}}));
  const auto* overlap = GENERATE("--overlap=none", "--overlap=poll", "--overlap=thread");
  const auto flags =
      with(kFiveStepsOf16, {overlap, "--bucket-mb=0.001", "--first-bucket-mb=0.001"});

  const Probe plain = test::train(2, kThreeLayers, flags).front();
  const std::vector<Probe> rounded =
      test::train(2, kThreeLayers, with(flags, {"--comm-dtype=" + type}));

  CHECK(rounded[0].parameters == rounded[1].parameters);
  CHECK(rounded[0].calls == plain.calls);
  CHECK(rounded[0].bytes == 0.5 * plain.bytes);
  CHECK(rounded[0].traffic == Approx(rounded[0].planned_traffic).epsilon(1e-9));
  const double difference = relative_difference(plain.parameters, rounded[0].parameters);
  CHECK(difference <= most);
  CHECK(difference > 1e-6);
  CHECK(rounded[0].estimate_bytes == rounded[0].peak_bytes);
}

TEST_CASE("a network learns as far with gradients that travel in 16 bits", "[train]") {
  const std::string type = GENERATE("bf16", "fp16");
  const std::vector<std::string> flags = {
      "--batch-global=32", "--measured-steps=400", "--comm-dtype=" + type};

  const Probe probe = test::train(2, {"16,32,4", "0"}, flags).front();

  CHECK(probe.losses.back() < 0.05 * probe.losses.front());
}

TEST_CASE("gradients that travel in their own type are not converted", "[train]") {
  const Probe plain = test::train(2, kThreeLayers, kFiveStepsOf16).front();
  const Probe named =
      test::train(2, kThreeLayers, with(kFiveStepsOf16, {"--comm-dtype=fp32"})).front();

  CHECK(named.parameters == plain.parameters);
  CHECK(named.peak_bytes == plain.peak_bytes);
}

TEST_CASE("parameters move far more than the tolerance of the comparison", "[train]") {
  const auto flags = with(kFiveStepsOf16, {"--precision=fp64"});

  const Probe trained = test::train(1, kThreeLayers, flags).front();
  const Probe frozen = test::train(1, kThreeLayers, with(flags, {"--learning-rate=0"})).front();

  CHECK(relative_difference(trained.parameters, frozen.parameters) > 1e-3);
}

// With small steps gradients are nearly those of the initial parameters, and what sgd without
// momentum subtracts tells them: g, of two steps. By hand, from zero moments and with their
// corrections, adamw subtracts rate * m / sqrt(v) of 0.1 g / 0.1 and 0.001 g^2 / 0.001, then of
// (0.09 g1 + 0.1 g2) / 0.19 and (0.000999 g1^2 + 0.001 g2^2) / 0.001999.
TEST_CASE("adamw corrects its moments of 0.9 and 0.999 by the number of the step", "[train]") {
  const auto run = [](const std::vector<std::string>& flags) {
    return test::train(1, kThreeLayers, with({"--batch-global=16", "--precision=fp64"}, flags))[0]
        .parameters;
  };
  const auto sgd = [&](const std::string& steps) {
    return run({"--momentum=0", "--learning-rate=1e-8", "--measured-steps=" + steps});
  };
  const auto initial = run({"--learning-rate=0", "--measured-steps=1"});
  const auto first = sgd("1");
  const auto second = sgd("2");

  const auto found = run({"--optimizer=adamw", "--learning-rate=1e-8", "--measured-steps=2"});

  std::size_t compared = 0;
  for (std::size_t i = 0; i < initial.size(); ++i) {
    const double g1 = (initial[i] - first[i]) / 1e-8;
    const double g2 = (first[i] - second[i]) / 1e-8;
    if (std::min(std::abs(g1), std::abs(g2)) > 1e-2) {
      const double m = (0.09 * g1 + 0.1 * g2) / 0.19;
      const double v = (0.000999 * g1 * g1 + 0.001 * g2 * g2) / 0.001999;
      const double moved = std::copysign(1.0, g1) + m / std::sqrt(v);
      CHECK((initial[i] - found[i]) / 1e-8 == Approx(moved).margin(1e-4));
      ++compared;
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("all ranks end with the same bits", "[train]") {
  const std::vector<Probe> probes = test::train(2, kThreeLayers, kFiveStepsOf16);

  CHECK(probes[0].parameters == probes[1].parameters);
}

TEST_CASE("without communication nothing is sent and replicas part ways", "[train]") {
  const auto* const overlap = GENERATE("--overlap=none", "--overlap=poll", "--overlap=thread");
  const std::vector<Probe> silent =
      test::train(2, kThreeLayers, with(kFiveStepsOf16, {"--comm=noop", overlap}));
  const std::vector<Probe> talking =
      test::train(2, kThreeLayers, with(kFiveStepsOf16, {"--comm=mpi", overlap}));

  CHECK(silent[0].calls == 0);
  CHECK(talking[0].calls == 4);  // one bucket in each of the four steps counted
  CHECK(silent[0].parameters != silent[1].parameters);
}

TEST_CASE("a run of single elements makes the same calls, and replicas part ways", "[train]") {
  const auto* const overlap = GENERATE("--overlap=none", "--overlap=poll", "--overlap=thread");
  const std::vector<Probe> waiting =
      test::train(2, kThreeLayers, with(kFiveStepsOf16, {"--payload=element", overlap}));

  CHECK(waiting[0].calls == 4);
  CHECK(waiting[0].parameters != waiting[1].parameters);
}

TEST_CASE("a step allocates nothing", "[train]") {
  const auto flags = with(kFiveStepsOf16,
                          {GENERATE("--overlap=none",
                                    "--overlap=poll",
                                    "--overlap=thread",
                                    "--accumulation-steps=4",
                                    "--optimizer=adamw",
                                    "--comm=noop"),
                           "--precision=fp64"});

  CHECK(test::train(1, kThreeLayers, flags).front().allocations == 0);
}

// Both tasks can be solved exactly without dropout: the best loss is 0.
TEST_CASE("the network learns a frozen teacher down to its floor", "[train]") {
  const Probe probe = test::train(1,
                                  {"8,32,4", "0"},
                                  {"--loss=mse",
                                   "--optimizer=adamw",
                                   "--learning-rate=0.01",
                                   "--batch-global=16",
                                   "--measured-steps=2000"})
                          .front();

  CHECK(probe.losses[1] > 0.5);
  CHECK(probe.losses.back() < 1e-3 * probe.losses[1]);
}

TEST_CASE("the network learns to tell classes apart down to its floor", "[train]") {
  const Probe probe =
      test::train(1, {"64,32,4", "0"}, {"--batch-global=32", "--measured-steps=1000"}).front();

  CHECK(probe.losses[1] > 0.5);
  CHECK(probe.losses.back() < 1e-2 * probe.losses[1]);
}

// SGD: the gradient of a key's bias is zero but for rounding, which AdamW would make a whole step
// of.
TEST_CASE("several ranks equal one rank for transformers", "[train]") {
  const auto* name = GENERATE("gpt-tiny", "llama-7b");
  const auto precision =
      GENERATE(std::pair{"--precision=fp64", 1e-12}, std::pair{"--precision=fp32", 1e-5});
  const auto flags = with(with(kFiveStepsOf16, small_transformer(name)),
                          {precision.first, "--overlap=poll", "--bucket-mb=0.02"});
  const Probe one = test::train(1, kNamed, flags).front();

  for (const int ranks : {2, 4}) {
    CHECK(
        relative_difference(one.parameters, test::train(ranks, kNamed, flags).front().parameters) <=
        precision.second);
  }
}

TEST_CASE("a step of a transformer allocates nothing", "[train]") {
  const auto flags = with(with(kFiveStepsOf16, small_transformer(GENERATE("gpt-tiny", "llama-7b"))),
                          {"--precision=fp64"});

  CHECK(test::train(1, kNamed, flags).front().allocations == 0);
}

// 7/4 bits, the entropy of the next token: no batch is seen often enough to be learned by heart.
// The mean of the last 50 losses, each over 256 tokens, has a standard error of 0.005.
TEST_CASE("a transformer learns the text to within 5 % of its entropy", "[train]") {
  const auto flags = with(
      small_transformer(GENERATE("gpt-tiny", "llama-7b")),
      {"--optimizer=adamw", "--learning-rate=0.01", "--batch-global=16", "--measured-steps=500"});

  const std::vector<double> losses = test::train(1, kNamed, flags).front().losses;

  const double entropy = 1.75 * std::log(2.0);
  const double last = std::accumulate(losses.end() - 50, losses.end(), 0.0) / 50.0;
  CHECK(losses[1] > 2.0 * entropy);
  CHECK(last == Approx(entropy).epsilon(0.05));
}

TEST_CASE("the memory a run takes is what was estimated", "[train]") {
  const auto variant =
      GENERATE(std::vector<std::string>{"--loss=mse", "--optimizer=adamw"},
               std::vector<std::string>{"--precision=fp64", "--accumulation-steps=2"},
               small_transformer("gpt-tiny"),
               small_transformer("llama-7b"));

  const Probe probe = test::train(1, kNamed, with(kFiveStepsOf16, variant)).front();

  CHECK(probe.estimate_bytes == probe.peak_bytes);
}
