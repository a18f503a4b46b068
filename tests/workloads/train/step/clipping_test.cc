// Gradient clipping by the norm of the whole model, whoever has which share of the gradients.
#include "tests/support/catch.h"
#include "tests/workloads/named_shapes.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Flags;
using test::Probe;
using test::relative_difference;
using test::with;

namespace {

const Flags kFp64 = {
    "--precision=fp64", "--batch-global=16", "--bucket-mb=0.02", "--first-bucket-mb=0.01"};

Flags in_fp64(const std::string& model, const Flags& flags) {
  return with(with(test::flags_of(model), kFp64), flags);
}

std::vector<Probe> train_in_fp64(int ranks, const std::string& model, const Flags& flags) {
  return test::train(ranks, test::network_of(model), in_fp64(model, flags));
}

}  // namespace

// One step of sgd without momentum at rate 1 subtracts the gradients themselves.
TEST_CASE("a step is scaled to the limit where gradients are longer, and left alone where not",
          "[train]") {
  const Flags one_step = {"--measured-steps=1", "--momentum=0"};
  const auto parameters = [&](const std::string& rate, const std::string& limit) {
    return train_in_fp64(
               1, "mlp", with(one_step, {"--learning-rate=" + rate, "--clip-norm=" + limit}))
        .front()
        .parameters;
  };
  const std::vector<double> start = parameters("0", "0");
  const std::vector<double> plain = parameters("1", "0");
  double squares = 0.0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    squares += (start[i] - plain[i]) * (start[i] - plain[i]);
  }
  const double norm = std::sqrt(squares);
  REQUIRE(norm > 0.02);
  std::vector<double> expected = start;
  for (std::size_t i = 0; i < start.size(); ++i) {
    expected[i] -= (start[i] - plain[i]) * 0.01 / (norm + 1e-6);
  }

  CHECK(relative_difference(expected, parameters("1", "0.01")) <= 1e-13);
  CHECK(parameters("1", "1000") == plain);
}

TEST_CASE("every strategy clips by the norm that one rank with all of the batch finds",
          "[train][slow]") {
  const std::string model = GENERATE("mlp", "gpt-tiny");
  const std::string overlap = GENERATE("none", "poll", "thread");
  const Flags flags = {"--measured-steps=5", "--overlap=" + overlap};
  const Flags clipped = with(flags, {"--clip-norm=0.05"});
  const Probe one = train_in_fp64(1, model, clipped).front();
  const Probe unclipped = train_in_fp64(1, model, flags).front();
  REQUIRE(relative_difference(unclipped.parameters, one.parameters) > 1e-4);

  std::vector<Flags> trainings;
  for (const std::string strategy : {"ddp", "ddp_serial", "zero1", "zero2", "fsdp"}) {
    if (strategy != "ddp_serial" || overlap == "none") {  // which sends after backward
      trainings.push_back(in_fp64(model, with(clipped, {"--strategy=" + strategy})));
    }
  }
  for (const int ranks : {1, 2, 4}) {
    const auto ends = test::train_each(ranks, test::network_of(model), trainings);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      CAPTURE(model, overlap, ranks, trainings[i].back());
      for (const Probe& probe : ends[i]) {
        CHECK(relative_difference(one.parameters, probe.parameters) <= 1e-12);
        CHECK(probe.memory == probe.calculated);
        CHECK(probe.traffic == Approx(probe.planned_traffic).epsilon(1e-9));
        CHECK(probe.allocations == 0);
      }
    }
  }
}

// Shares of the squares are summed: 8 bytes, which an all-reduce sends 2 (N-1)/N of.
TEST_CASE("clipping sends one number where ranks have shares of the gradients, else nothing",
          "[train]") {
  const auto [strategy, bytes] =
      GENERATE(table<std::string, double>({{"ddp", 0.0}, {"zero1", 8.0}, {"fsdp", 8.0}}));
  const Flags flags = {"--measured-steps=3", "--strategy=" + strategy};

  const Probe plain = train_in_fp64(2, "mlp", flags).front();
  const Probe clipped = train_in_fp64(2, "mlp", with(flags, {"--clip-norm=0.05"})).front();

  CHECK(clipped.traffic - plain.traffic == Approx(2.0 * bytes));  // of two steps
}

// Loss scaling multiplies gradients by thousands; the limit is on what they are without it.
TEST_CASE("fp16 clips gradients as they are without their scale", "[train]") {
  const std::vector<std::string> flags = {
      "--batch-global=32", "--measured-steps=20", "--clip-norm=0.05"};

  const Probe half =
      test::train(1, {"16,32,4", "0"}, flags, {"SCALESTUDY_PROBE_PRECISION=fp16"}).front();
  const Probe single = test::train(1, {"16,32,4", "0"}, flags).front();

  CHECK(half.losses.back() == Approx(single.losses.back()).epsilon(0.005));
  CHECK(half.losses.back() < 0.99 * half.losses.front());
}
