// Trains in 16-bit types on the CPU: bf16 by the cores' own products where they have them, else by
// reference loops.
#include "tests/workloads/probe.h"
#include "tests/workloads/tensors.h"

using namespace scalestudy;
using test::Probe;

namespace {

std::vector<std::string> in(const std::string& precision) {
  return {"SCALESTUDY_PROBE_PRECISION=" + precision, "DNNL_MAX_CPU_ISA=ALL"};
}

}  // namespace

TEST_CASE("a network learns in 16 bits as far as in 32", "[train]") {
  const auto* precision = GENERATE("bf16", "fp16");
  const std::vector<std::string> flags = {"--batch-global=32", "--measured-steps=400"};

  const Probe probe = test::train(1, {"16,32,4", "0"}, flags, in(precision)).front();
  const Probe single = test::train(1, {"16,32,4", "0"}, flags).front();

  CHECK(probe.losses.front() == Approx(single.losses.front()).epsilon(0.02));
  CHECK(probe.losses.back() < 0.05 * probe.losses.front());
  CHECK(single.losses.back() < 0.05 * single.losses.front());
}

// The loss is measured on parameters of 8 bits or 11; each step moves them by less than their last
// place. Without master values they would stand still.
TEST_CASE("steps below the resolution of 16 bits add up in the master values", "[train]") {
  const auto* precision = GENERATE("bf16", "fp16");
  const std::vector<std::string> flags = {
      "--batch-global=32", "--measured-steps=400", "--learning-rate=0.0001"};

  const Probe probe = test::train(1, {"16,32,4", "0"}, flags, in(precision)).front();
  const Probe single = test::train(1, {"16,32,4", "0"}, flags).front();

  const double progress = probe.losses.front() - probe.losses.back();
  CHECK(progress == Approx(single.losses.front() - single.losses.back()).epsilon(0.2));
  CHECK(progress > 0.0);
}

TEST_CASE("two ranks sum 16-bit gradients and stay equal", "[train]") {
  const auto* precision = GENERATE("bf16", "fp16");
  const std::vector<std::string> flags = {"--batch-global=32", "--measured-steps=20"};

  const std::vector<Probe> two = test::train(2, {"16,32,4", "0"}, flags, in(precision));
  const Probe one = test::train(1, {"16,32,4", "0"}, flags, in(precision)).front();

  CHECK(two[0].parameters == two[1].parameters);
  // Gradients are rounded before they are summed: about 2^-8 or 2^-11 of a step.
  CHECK(test::relative_difference(one.parameters, two[0].parameters) < 0.01);
}

// Sums of two are rounded once either way, so that the parameters are the same.
TEST_CASE("16-bit gradients that travel as fp32 are twice the bytes", "[train]") {
  const auto* precision = GENERATE("bf16", "fp16");
  const std::vector<std::string> flags = {"--batch-global=32", "--measured-steps=20"};
  std::vector<std::string> wide = flags;
  wide.emplace_back("--comm-dtype=fp32");

  const Probe narrow = test::train(2, {"16,32,4", "0"}, flags, in(precision)).front();
  const Probe found = test::train(2, {"16,32,4", "0"}, wide, in(precision)).front();

  CHECK(found.bytes == 2.0 * narrow.bytes);
  CHECK(found.parameters == narrow.parameters);
  CHECK(found.estimate_bytes == found.peak_bytes);
}

// A learning rate that overflows fp16 within a step: every later step is left out.
TEST_CASE("the parameters survive steps whose gradients overflow", "[train]") {
  const Probe probe =
      test::train(
          1,
          {"16,32,4", "0"},
          {"--batch-global=32", "--measured-steps=40", "--loss=mse", "--learning-rate=1000"},
          in("fp16"))
          .front();

  for (const double parameter : probe.parameters) {
    REQUIRE(std::isfinite(parameter));
  }
}

// Each rank sees its share of the gradients alone. In the last training gradients overflow: where
// one rank's share does, the other leaves the step out too and scales alike.
TEST_CASE("ranks with shares of fp16 gradients scale losses as one with all of them", "[train]") {
  const std::string strategy = GENERATE("zero1", "zero2", "fsdp");
  const auto [rate, clip] =
      GENERATE(table<std::string, std::string>({{"0.01", "0"}, {"0.01", "0.05"}, {"10", "0"}}));
  const std::vector<std::string> flags = {
      "--batch-global=32", "--measured-steps=10", "--learning-rate=" + rate, "--clip-norm=" + clip};
  std::vector<std::string> shared = flags;
  shared.push_back("--strategy=" + strategy);
  CAPTURE(strategy, rate, clip);

  const Probe all = test::train(2, {"16,32,4", "0"}, flags, in("fp16")).front();
  const std::vector<Probe> shares = test::train(2, {"16,32,4", "0"}, shared, in("fp16"));

  if (rate == "10") {  // four batches in turn: the steps from 3 to 6 changed nothing
    CHECK(all.losses.at(7) == all.losses.at(3));
    CHECK(all.losses.at(3) != all.losses.at(0));
  }
  // Clipping sums squares in another order.
  CHECK(test::relative_difference(shares[0].losses, all.losses) <= (clip == "0" ? 0.0 : 1e-3));
  CHECK(shares[0].traffic == Approx(shares[0].planned_traffic).epsilon(1e-9));
  for (const Probe& probe : shares) {
    CHECK(probe.memory == probe.calculated);
  }
}

// One sample and one output: the gradient of the loss is 2 (y - target), which times the first
// scale of 65536 is more than fp16 holds. Four samples come in turn, and all of them overflow
// first.
TEST_CASE("a run whose gradients overflow at first finds a scale and learns", "[train]") {
  const Probe probe = test::train(1,
                                  {"16,32,1", "0"},
                                  {"--batch-global=1",
                                   "--measured-steps=400",
                                   "--loss=mse",
                                   "--learning-rate=0.003",
                                   "--seed=6"},
                                  in("fp16"))
                          .front();

  CHECK(probe.losses.at(4) == probe.losses.at(0));
  CHECK(probe.losses.at(396) < 1e-4 * probe.losses.at(0));
}

TEST_CASE("without threads in MPI overlap thread is unsupported and says what to use", "[comm]") {
  const test::TemporaryFolder folder;

  const test::ProgramResult result = test::mpirun(1,
                                                  {SCALESTUDY_TEST_BIN "/../tests/training_probe",
                                                   folder.file("probe"),
                                                   "8,4",
                                                   "0",
                                                   "--batch-global=8",
                                                   "--overlap=thread"},
                                                  {"SCALESTUDY_PROBE_THREADS=0"});

  CHECK(result.exit_code == 77);
  CHECK(result.err.find("use overlap poll") != std::string::npos);
}

// What no sample and no tensor reaches must not drift: it would be summed, hashed and multiplied
// with.
TEST_CASE("padding stays zero through training in every precision", "[train][slow]") {
  const auto [precision, element_bytes] =
      GENERATE(table<std::string, std::size_t>({{"bf16", 2U}, {"fp16", 2U}, {"fp32", 4U}}));
  const auto model = GENERATE(
      std::vector<std::string>{
          "gpt-tiny", "layers=1", "width=10", "heads=2", "sequence=4", "vocabulary=5"},
      std::vector<std::string>{
          "llama-7b", "layers=1", "width=12", "heads=2", "sequence=4", "vocabulary=5"},
      std::vector<std::string>{"resnet50-cifar", "layers=1", "width=3", "image=8"},
      std::vector<std::string>{"gru-250k", "width=5", "sequence=3"});
  const std::string optimizer = GENERATE("sgd", "adamw");
  CAPTURE(precision, model[0], optimizer);
  std::vector<std::string> flags = {"--model=" + model[0],
                                    "--optimizer=" + optimizer,
                                    "--weight-decay=0.1",
                                    "--batch-global=8",
                                    "--accumulation-steps=2",
                                    "--measured-steps=4"};
  model::Overrides overrides;
  for (auto shape = model.begin() + 1; shape != model.end(); ++shape) {
    const std::size_t equals = shape->find('=');
    overrides[shape->substr(0, equals)] = std::stoul(shape->substr(equals + 1));
    flags.push_back("--model-" + *shape);
  }
  const model::ModelSpec spec = model::find_model(model[0], overrides);

  const auto environment = precision == "fp32" ? std::vector<std::string>() : in(precision);
  std::vector<double> padding = test::train(2, {"-", "-"}, flags, environment).front().parameters;

  const std::vector<std::size_t> places = test::places_of_parameters(spec, element_bytes);
  CHECK(padding.size() > places.size());
  for (const std::size_t place : places) {
    padding.at(place) = 0.0;
  }
  CHECK(padding == std::vector<double>(padding.size(), 0.0));
}
