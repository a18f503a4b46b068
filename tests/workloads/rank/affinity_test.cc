// Which cores the threads of a trial run on, launched as the harness launches it.
#include "workloads/rank/affinity.h"

#include <algorithm>
#include <csignal>

#include <sys/resource.h>

#include "tests/support/catch.h"
#include "tests/support/skip.h"
#include "tests/workloads/trial.h"
#include "workloads/device/device.h"
#include "workloads/ops/cpu/cpu_threads.h"

using namespace scalestudy;

namespace {

// One rank on two cores.
std::vector<std::string> on_two_cores() {
  return {"mpirun", "-n", "1", "--bind-to", "core", "--map-by", "slot:PE=2", test::train_program()};
}

std::vector<std::string> bound_environment(const std::string& parameters,
                                           const std::string& output) {
  return test::mpirun_environment(
      {"OMP_PROC_BIND=close",
       "OMP_PLACES=cores",
       "SCALESTUDY_OUTPUT=" + output,
       R"(SCALESTUDY_PARAMETERS={"batch_per_device": 16, )" + parameters + "}"});
}

std::map<std::string, double> facts(const std::string& parameters,
                                    const std::vector<std::string>& command = on_two_cores()) {
  const test::TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");
  const test::ProgramResult result = test::run_program(
      command,
      bound_environment(R"("warmup_steps": 0, "measured_steps": 2, )" + parameters, output));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return test::events_of<protocol::Start>(protocol::read_record(output)).at(0).facts;
}

// "0-1", of a thread that is alive.
std::string core_list(const std::string& status) {
  const std::string name = "Cpus_allowed_list:\t";
  const std::size_t begin = status.find(name) + name.size();
  return status.substr(begin, status.find('\n', begin) - begin);
}

bool has_cores(std::size_t count) {
  if (rank::own_cores().size() >= count) {
    return true;
  }
  WARN("not run: it needs " << count << " cores");
  return false;
}

}  // namespace

TEST_CASE("a rank reports the cores it was given, however many threads it has", "[train]") {
  if (!has_cores(2)) {
    return;
  }
  for (const std::string threads : {"1", "2"}) {
    INFO(threads);
    const auto found = facts(R"("threads": )" + threads);
    CHECK(found.at("affinity_cores") == 2.0);
    CHECK(found.at("oversubscribed") == 0.0);
    CHECK_FALSE(found.contains("communication_thread_cores"));
  }
}

TEST_CASE("ranks on the same cores are crowded, also where others have cores to spare", "[rank]") {
  using Ranks = std::vector<rank::CoreUse>;
  CHECK_FALSE(rank::is_crowded(Ranks{{1, {0}}, {1, {1}}}));
  CHECK_FALSE(rank::is_crowded(Ranks{{1, {0, 1}}, {1, {0, 1}}}));
  CHECK_FALSE(rank::is_crowded(Ranks{{1, {0}}, {1, {0, 1}}}));
  CHECK(rank::is_crowded(Ranks{{2, {0}}}));
  CHECK(rank::is_crowded(Ranks{{1, {0}}, {1, {0}}, {1, {1, 2, 3}}}));
  CHECK(rank::is_crowded(Ranks{{1, {0, 1}}, {2, {0, 1}}, {1, {2, 3, 4}}}));
  CHECK(rank::is_crowded(Ranks{{2, {0, 1}}, {2, {1, 2}}}));
}

TEST_CASE("ranks that share a core of several are seen to", "[train]") {
  if (!has_cores(2)) {
    return;
  }
  const std::string parameters = R"("threads": 1)";
  std::vector<std::string> unbound = test::mpirun_command(2, {test::train_program()});
  // Each rank's OpenMP binds its thread to the first core.
  CHECK(facts(parameters, unbound).at("oversubscribed") == 1.0);
  unbound.insert(unbound.begin(), {"env", "-u", "OMP_PROC_BIND", "-u", "OMP_PLACES"});
  CHECK(facts(parameters, unbound).at("oversubscribed") == 0.0);
  unbound.insert(unbound.begin(), {"taskset", "-c", std::to_string(rank::own_cores().front())});
  CHECK(facts(parameters, unbound).at("oversubscribed") == 1.0);
}

TEST_CASE("the communication thread has a core to itself where there is one", "[train]") {
  if (!has_cores(2)) {
    return;
  }
  CHECK(facts(R"("overlap": "thread", "threads": 1)").at("communication_thread_cores") == 1.0);
  CHECK(facts(R"("overlap": "thread", "threads": 2)").at("communication_thread_cores") == 0.0);
}

// One core beside the one that computes, for two threads.
TEST_CASE("threads that share a core beside those that compute have none to themselves",
          "[train]") {
  if (!has_cores(2)) {
    return;
  }
  const std::string reading = R"("threads": 1, "data": "file", "data_samples": 64, )";
  const auto both = facts(reading + R"("data_prefetch": 1, "overlap": "thread")");
  CHECK(both.at("communication_thread_cores") == 0.0);
  CHECK(both.at("data_thread_cores") == 0.0);
  const auto alone = facts(reading + R"("data_prefetch": 0, "overlap": "thread")");
  CHECK(alone.at("communication_thread_cores") == 1.0);
  CHECK_FALSE(alone.contains("data_thread_cores"));
  CHECK(facts(reading + R"("data_prefetch": 1)").at("data_thread_cores") == 1.0);
}

// The stage between the ends of a pipeline has no thread that reads, and one core here.
TEST_CASE("cores for threads that read are counted on ranks that have one", "[train]") {
  if (!has_cores(2)) {
    return;
  }
  const std::vector<int> cores = rank::own_cores();
  const std::string one = std::to_string(cores[0]);
  std::vector<std::string> command = {"mpirun", "--bind-to", "none", "--oversubscribe"};
  const std::string two = one + "," + std::to_string(cores[1]);
  for (const std::string& own : {two, one, two}) {
    command.insert(command.end(), {"-n", "1", "taskset", "-c", own, test::train_program(), ":"});
  }
  command.pop_back();

  const auto found =
      facts(R"("strategy": "pipeline", "threads": 1, "data": "file", "data_samples": 64, )"
            R"("data_prefetch": 1)",
            command);

  CHECK(found.at("affinity_cores") == 1.0);
  CHECK(found.at("data_thread_cores") == 1.0);
}

// OpenMP's library binds main before main() begins, and threads inherit.
TEST_CASE("main computes on one core, and the library's threads keep all of them", "[train]") {
  if (!has_cores(2)) {
    return;
  }
  const test::TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");
  const pid_t launcher =
      test::start_program(on_two_cores(),
                          bound_environment(R"("measured_steps": 500000)", output),
                          "/dev/null",
                          folder.path() / "out",
                          folder.path() / "err");
  const bool has_begun = test::eventually(
      [&] { return test::read_file(output).find("measure") != std::string::npos; });
  const std::vector<pid_t> ranks = test::children_of(launcher);
  std::string main_cores;
  std::vector<std::string> other_cores;
  for (const pid_t rank : ranks) {
    const std::filesystem::path process = "/proc/" + std::to_string(rank);
    main_cores = core_list(test::read_file(process / "status"));
    for (const auto& thread : std::filesystem::directory_iterator(process / "task")) {
      if (thread.path().filename() != std::to_string(rank)) {
        other_cores.push_back(core_list(test::read_file(thread.path() / "status")));
      }
    }
  }
  kill(launcher, SIGTERM);
  test::wait_for(launcher);

  CHECK(has_begun);
  REQUIRE(ranks.size() == 1);
  CHECK(main_cores.find_first_of("-,") == std::string::npos);
  REQUIRE_FALSE(other_cores.empty());  // MPI's
  CHECK(std::all_of(other_cores.begin(), other_cores.end(), [](const std::string& cores) {
    return cores.find_first_of("-,") != std::string::npos;
  }));
}

TEST_CASE("each thread touches its part of a buffer first", "[ops]") {
  test::skip_with_shadow_memory();
  constexpr int threads = 2;
  constexpr std::size_t bytes = std::size_t{256} << 20U;
  const auto faults = [&] {
    std::vector<long> counts(threads);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int thread = 0; thread < threads; ++thread) {
      rusage usage{};
      getrusage(RUSAGE_THREAD, &usage);
      counts[static_cast<std::size_t>(thread)] = usage.ru_minflt;
    }
    return counts;
  };
  const auto device = device::make_cpu_device(
      [](void* block, std::size_t size) { ops::clear_by_threads(threads, block, size); });
  const std::vector<long> before = faults();

  void* block = device->allocate(bytes);

  const std::vector<long> after = faults();
  device->release(block);
  const long first = after[0] - before[0];
  const long second = after[1] - before[1];
  CHECK(first > (first + second) / 3);
  CHECK(second > (first + second) / 3);
}
