// Trains on 1, 2 and 4 real MPI ranks and compares.
#include <cmath>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"

using namespace scalestudy;

namespace {

struct Probe {
  long calls = -1;
  long allocations = -1;
  std::vector<double> losses;
  std::vector<double> parameters;
};

Probe read_probe(const std::string& path) {
  Probe probe;
  std::istringstream text(test::read_file(path));
  std::string key;
  for (double value = 0.0; text >> key >> value;) {
    if (key == "calls") {
      probe.calls = static_cast<long>(value);
    } else if (key == "allocations") {
      probe.allocations = static_cast<long>(value);
    } else {
      (key == "loss" ? probe.losses : probe.parameters).push_back(value);
    }
  }
  return probe;
}

struct Model {
  std::string widths;
  std::string dropout;
};

// What each rank wrote.
std::vector<Probe> train(int ranks, const Model& model, const std::vector<std::string>& flags) {
  const test::TemporaryFolder folder;
  std::vector<std::string> program = {std::string(SCALESTUDY_TEST_BIN) + "/../tests/training_probe",
                                      folder.file("probe"),
                                      model.widths,
                                      model.dropout};
  program.insert(program.end(), flags.begin(), flags.end());
  const test::ProgramResult result = test::mpirun(ranks, program);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  std::vector<Probe> probes;
  for (int rank = 0; rank < ranks; ++rank) {
    probes.push_back(read_probe(folder.file("probe." + std::to_string(rank))));
  }
  return probes;
}

double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  REQUIRE(!a.empty());
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    size += a[i] * a[i];
  }
  return std::sqrt(difference / size);
}

const Model kSmall = {"24,40,17,8", "0.2"};

std::vector<std::string> with(std::vector<std::string> flags,
                              const std::vector<std::string>& more) {
  flags.insert(flags.end(), more.begin(), more.end());
  return flags;
}

const std::vector<std::string> kFiveSteps = {"--batch-global=16", "--measured-steps=5"};

}  // namespace

TEST_CASE("several ranks equal one rank with their whole batch in fp64", "[train]") {
  const auto variant =
      GENERATE(std::vector<std::string>{"--loss=cross_entropy", "--optimizer=sgd"},
               std::vector<std::string>{"--loss=mse", "--optimizer=adamw", "--overlap=poll"});
  // 0.001 MiB makes several buckets of this small network.
  const auto flags = with(with(kFiveSteps, variant),
                          {"--precision=fp64", "--bucket-mb=0.001", "--first-bucket-mb=0.001"});
  const Probe one = train(1, kSmall, flags).front();

  for (const int ranks : {2, 4}) {
    for (const Probe& probe : train(ranks, kSmall, flags)) {
      CHECK(relative_difference(one.parameters, probe.parameters) <= 1e-12);
    }
  }
}

TEST_CASE("several ranks equal one rank with their whole batch in fp32", "[train]") {
  const Model model = {"mlp-258k", "-"};
  const auto flags =
      with(kFiveSteps, {"--overlap=poll", "--bucket-mb=0.1", "--first-bucket-mb=0.1"});
  const Probe one = train(1, model, flags).front();

  for (const int ranks : {2, 4}) {
    CHECK(relative_difference(one.parameters, train(ranks, model, flags).front().parameters) <=
          1e-5);
  }
}

TEST_CASE("parameters move far more than the tolerance of the comparison", "[train]") {
  const auto flags = with(kFiveSteps, {"--precision=fp64"});

  const Probe trained = train(1, kSmall, flags).front();
  const Probe frozen = train(1, kSmall, with(flags, {"--learning-rate=0"})).front();

  CHECK(relative_difference(trained.parameters, frozen.parameters) > 1e-3);
}

TEST_CASE("all ranks end with the same bits", "[train]") {
  const std::vector<Probe> probes = train(2, kSmall, kFiveSteps);

  CHECK(probes[0].parameters == probes[1].parameters);
}

TEST_CASE("without communication nothing is sent and replicas part ways", "[train]") {
  const auto overlap = GENERATE("--overlap=none", "--overlap=poll");
  const std::vector<Probe> silent = train(2, kSmall, with(kFiveSteps, {"--comm=noop", overlap}));
  const std::vector<Probe> talking = train(2, kSmall, with(kFiveSteps, {"--comm=mpi", overlap}));

  CHECK(silent[0].calls == 0);
  CHECK(talking[0].calls == 4);  // one bucket in each of the four steps counted
  CHECK(silent[0].parameters != silent[1].parameters);
}

TEST_CASE("a step allocates nothing", "[train]") {
  const auto flags =
      with(kFiveSteps, {GENERATE("--overlap=none", "--overlap=poll"), "--precision=fp64"});

  CHECK(train(1, kSmall, flags).front().allocations == 0);
}

// Both tasks can be solved exactly without dropout: the best loss is 0.
TEST_CASE("the network learns a frozen teacher down to its floor", "[train]") {
  const Probe probe = train(1,
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
      train(1, {"64,32,4", "0"}, {"--batch-global=32", "--measured-steps=1000"}).front();

  CHECK(probe.losses[1] > 0.5);
  CHECK(probe.losses.back() < 1e-2 * probe.losses[1]);
}
