// Training whose ranks sum in shared memory (comm shm), against sums by MPI.
#include "tests/support/catch.h"
#include "tests/workloads/probe.h"

using namespace scalestudy;
using test::Flags;
using test::Probe;
using test::relative_difference;
using test::with;

namespace {

const test::Model kOddLayers = {"24,40,17,8", "0.2"};
// Widths that no power of two divides; buckets of one layer or two.
const Flags kFiveSteps = {
    "--batch-global=24", "--measured-steps=5", "--bucket-mb=0.002", "--first-bucket-mb=0.001"};

std::vector<std::vector<Probe>> train_all(int ranks, const std::vector<Flags>& more) {
  std::vector<Flags> trainings;
  for (const Flags& flags : more) {
    trainings.push_back(with(kFiveSteps, flags));
  }
  return test::train_each(ranks, kOddLayers, trainings);
}

}  // namespace

// Sums of two numbers have no order, and single ranks of zero1 add what single ranks of MPI add.
TEST_CASE("two ranks end with the same bits in shared memory as by MPI", "[train]") {
  const auto strategy = GENERATE(values<Flags>({{},
                                                {"--strategy=ddp_serial"},
                                                {"--strategy=zero1", "--optimizer=adamw"},
                                                {"--strategy=zero2", "--clip-norm=0.1"},
                                                {"--strategy=fsdp"},
                                                {"--strategy=local_sgd", "--sync-every=5"},
                                                {"--strategy=powersgd"},
                                                {"--topk=10"},
                                                {"--comm-dtype=bf16"},
                                                {"--accumulation-steps=3"},
                                                {"--shares=1:3"},
                                                {"--precision=fp64"}}));
  const bool has_overlap = strategy.empty() || strategy[0] == "--strategy=fsdp";
  std::vector<Flags> trainings = {strategy, with(strategy, {"--comm=shm"})};
  for (const char* overlap : {"poll", "start_wait", "thread"}) {
    if (has_overlap) {
      trainings.push_back(with(strategy, {"--comm=shm", "--overlap=" + std::string(overlap)}));
    }
  }

  const auto ends = train_all(2, trainings);

  for (std::size_t i = 1; i < ends.size(); ++i) {
    CAPTURE(trainings[i]);
    for (const Probe& probe : ends[i]) {
      CHECK(probe.parameters == ends[0][0].parameters);
      CHECK(probe.bytes == 0.0);  // through MPI
      CHECK(probe.allocations == ends[0][0].allocations);
      CHECK(probe.memory == probe.calculated);
      CHECK(probe.planned_traffic == ends[0][0].planned_traffic);
    }
  }
  CHECK(ends[0][0].bytes > 0.0);
}

// 3 ranks divide no tensor evenly; 4 are more than the cores of most machines of tests.
TEST_CASE("more ranks end with equal bits, and with those of MPI to rounding", "[train]") {
  const int ranks = GENERATE(3, 4);
  const auto strategy =
      GENERATE(values<Flags>({{"--overlap=poll"}, {"--strategy=fsdp"}, {"--topk=10"}}));

  const auto ends = train_all(ranks, {strategy, with(strategy, {"--comm=shm"})});

  CAPTURE(ranks, strategy);
  for (const Probe& probe : ends[1]) {
    CHECK(probe.parameters == ends[1][0].parameters);
    CHECK(relative_difference(probe.parameters, ends[0][0].parameters) <= 1e-6);
  }
}

TEST_CASE("the control of single elements goes in shared memory too", "[train]") {
  const auto ends = train_all(3, {{"--comm=shm", "--payload=element"}});

  for (const Probe& probe : ends[0]) {
    CHECK(probe.parameters.size() > 1000);
    CHECK(probe.bytes == 0.0);
  }
}

TEST_CASE("ranks of two machines are told that they share no memory", "[train]") {
  const test::TemporaryFolder folder;

  const auto result = test::mpirun(2,
                                   {SCALESTUDY_TEST_BIN "/../tests/training_probe",
                                    folder.file("probe"),
                                    "24,8",
                                    "0",
                                    "--batch-global=8",
                                    "--comm=shm"},
                                   {"SCALESTUDY_PROBE_MACHINES=0,1"});

  CHECK(result.exit_code == 2);
  CHECK(result.err.find("comm shm sums in memory that all ranks share, but a machine has 1 of the "
                        "2 ranks; use comm mpi") != std::string::npos);
}
