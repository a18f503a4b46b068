// Trains small residual and recurrent networks on real MPI ranks.
#include "tests/support/catch.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Probe;
using test::relative_difference;

namespace {

using Flags = std::vector<std::string>;

// A model of the zoo, shrunken by flags.
std::vector<Probe> train(int ranks, Flags flags, const Flags& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return test::train(ranks, {"-", "-"}, flags);
}

// The last stage sees 2 x 2 pixels: normalised over one pixel of the four images that each of four
// ranks has, it would make much of fp32's rounding errors.
const Flags kResidual = {
    "--model=resnet50-cifar", "--model-layers=1", "--model-width=2", "--model-image=16"};
const Flags kLargeStem = {
    "--model=resnet50", "--model-layers=1", "--model-width=2", "--model-image=64"};
const Flags kLstm = {"--model=lstm-332k", "--model-width=12", "--model-sequence=5"};
const Flags kGru = {"--model=gru-250k", "--model-width=12", "--model-sequence=5"};

const Flags kFiveSteps = {
    "--batch-global=16", "--measured-steps=5", "--overlap=poll", "--bucket-mb=0.02"};

std::string ghosts(int count) {
  return "--model-ghost-batches=" + std::to_string(count);
}

}  // namespace

// Each rank normalises its own part of the batch: one rank does the same with as many ghost
// batches.
TEST_CASE("several ranks equal one rank with ghost batches", "[train][slow]") {
  const Flags& model = GENERATE(kResidual, kLargeStem);
  const auto precision =
      GENERATE(std::pair{"--precision=fp64", 1e-12}, std::pair{"--precision=fp32", 1e-5});
  Flags flags = kFiveSteps;
  flags.emplace_back(precision.first);

  for (const int ranks : {2, 4}) {
    Flags one = flags;
    one.push_back(ghosts(ranks));
    CHECK(relative_difference(train(1, model, one)[0].parameters,
                              train(ranks, model, flags)[0].parameters) <= precision.second);
  }
}

TEST_CASE("without ghost batches a rank normalises over its whole batch", "[train]") {
  CHECK(relative_difference(train(1, kResidual, kFiveSteps)[0].parameters,
                            train(2, kResidual, kFiveSteps)[0].parameters) > 1e-3);
}

TEST_CASE("several ranks equal one rank for recurrent networks", "[train]") {
  const Flags& model = GENERATE(kLstm, kGru);
  const auto precision =
      GENERATE(std::pair{"--precision=fp64", 1e-12}, std::pair{"--precision=fp32", 1e-5});
  Flags flags = kFiveSteps;
  flags.emplace_back(precision.first);
  const Probe one = train(1, model, flags)[0];

  for (const int ranks : {2, 4}) {
    CHECK(relative_difference(one.parameters, train(ranks, model, flags)[0].parameters) <=
          precision.second);
  }
}

TEST_CASE("a step of images or sequences allocates nothing and its memory is known", "[train]") {
  const Flags& model = GENERATE(kResidual, kLargeStem, kLstm, kGru);
  const auto* precision = GENERATE("--precision=fp64", "--precision=fp32");

  const Probe probe = train(1, model, {"--batch-global=4", "--measured-steps=5", precision})[0];

  CHECK(probe.estimate_bytes == probe.peak_bytes);
  if (precision == std::string("--precision=fp64")) {  // oneDNN allocates inside
    CHECK(probe.allocations == 0);
  }
}

// Classes separate: the best loss is 0.
TEST_CASE("images and sequences are told apart down to the floor", "[train]") {
  const Flags& model = GENERATE(kResidual, kLargeStem, kLstm, kGru);

  const Probe probe = train(1,
                            model,
                            {"--optimizer=adamw",
                             "--learning-rate=0.01",
                             "--batch-global=32",
                             "--measured-steps=300"})[0];

  CHECK(probe.losses[1] > 1.0);
  CHECK(probe.losses.back() < 1e-2 * probe.losses[1]);
}
