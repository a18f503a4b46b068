// scalestudy-collective from outside.
#include <algorithm>
#include <csignal>
#include <map>
#include <optional>
#include <string>
#include <variant>

#include <sys/wait.h>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"
#include "tests/workloads/probed_collectives.h"
#include "workloads/protocol/reader.h"

using namespace scalestudy;

namespace {

const std::string kProgram = SCALESTUDY_TEST_BIN "/scalestudy-collective";

struct Trial {
  test::ProgramResult result;
  protocol::Record record;
};

Trial run_trial(int ranks,
                const std::string& parameters,
                const std::vector<std::string>& environment = {},
                const std::string& program = kProgram) {
  const test::TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");
  std::vector<std::string> variables = environment;
  variables.push_back("SCALESTUDY_PARAMETERS=" + parameters);
  variables.push_back("SCALESTUDY_OUTPUT=" + output);
  Trial trial;
  trial.result = test::mpirun(ranks, {program}, variables);
  trial.record = protocol::read_record(output);
  return trial;
}

std::optional<protocol::Check> check_of(const protocol::Record& record) {
  for (const protocol::Event& event : record.events) {
    if (const auto* check = std::get_if<protocol::Check>(&event)) {
      return *check;
    }
  }
  return std::nullopt;
}

const protocol::Start* start_of(const protocol::Record& record) {
  for (const protocol::Event& event : record.events) {
    if (const auto* start = std::get_if<protocol::Start>(&event)) {
      return start;
    }
  }
  return nullptr;
}

std::string parameters_of(const std::string& operation, const std::string& mode) {
  return R"({"operation":")" + operation + R"(","mode":")" + mode +
         R"(","message_bytes":4000,"operations_per_step":3,"warmup_steps":1,"measured_steps":2})";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("every operation delivers exact data in both modes", "[collective]") {
  const auto result = test::mpirun(3, {SCALESTUDY_COLLECTIVE_PROBE, "cpu"});

  CHECK(result.exit_code == 0);
  CHECK_EXACT_COLLECTIVES(result.out, 3);
}

// 17 and 10,007 elements over 5 ranks, which are more than most machines of tests have cores; and
// more than a huge page.
TEST_CASE("every operation delivers exact data in shared memory", "[collective]") {
  const auto [ranks, bytes] = GENERATE(table<int, std::string>(
      {{1, "4000"}, {2, "9000000"}, {3, "40000"}, {5, "68"}, {5, "40028"}}));

  const auto result = test::mpirun(ranks, {SCALESTUDY_COLLECTIVE_PROBE, "cpu", bytes, "shm"});

  CAPTURE(ranks, bytes, result.err);
  CHECK(result.exit_code == 0);
  const auto collectives = test::read_probed_collectives(result.out);
  CHECK(collectives.size() == 12);
  for (const auto& probed : collectives) {
    CAPTURE(probed.operation, probed.mode);
    CHECK((probed.poisoned > 0) == (ranks > 1 || probed.operation != "broadcast"));
    CHECK(probed.wrong == 0);
  }
}

TEST_CASE("a rank that dies ends the others, whose shared memory has no name to be left",
          "[collective]") {
  const test::TemporaryFolder folder;
  const pid_t launcher = test::start_program(
      test::mpirun_command(3,
                           {kProgram,
                            "--comm=shm",
                            "--message-bytes=4000000",
                            "--measured-steps=1000000",
                            "--warmup-steps=1000"}),
      test::mpirun_environment({"SCALESTUDY_OUTPUT=" + folder.file("trial.jsonl")}),
      "/dev/null",
      folder.file("out"),
      folder.file("err"));
  REQUIRE(test::eventually(
      [&] { return contains(test::read_file(folder.file("trial.jsonl")), "warmup"); }));
  const std::vector<pid_t> ranks = test::children_of(launcher);
  REQUIRE(ranks.size() == 3);
  CHECK(contains(test::read_file("/proc/" + std::to_string(ranks[0]) + "/maps"),
                 "/memfd:scalestudy (deleted)"));

  kill(ranks[1], SIGKILL);

  CHECK(test::eventually([&] { return waitpid(launcher, nullptr, WNOHANG) == launcher; }));
  CHECK(test::eventually([&] { return kill(ranks[0], 0) != 0 && kill(ranks[2], 0) != 0; }));
}

TEST_CASE("a batch gives the time of one operation, on every rank and over all", "[collective]") {
  const Trial trial = run_trial(2, parameters_of("all_reduce", "back_to_back"));

  CHECK(trial.result.exit_code == 0);
  std::vector<const protocol::Samples*> times;
  const protocol::Start* start = start_of(trial.record);
  for (const protocol::Event& event : trial.record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event);
        samples != nullptr && samples->metric == "step_time_s") {
      times.push_back(samples);
    }
  }
  REQUIRE(times.size() == 3);
  CHECK(times[0]->values.size() == 3);
  CHECK(times[0]->warmup == 1);
  CHECK(times[0]->values[1] == std::max(times[1]->values[1], times[2]->values[1]));
  REQUIRE(start != nullptr);
  CHECK(start->workload == "collective");
  CHECK(start->facts.at("total_bytes") == 4000.0);
  CHECK(start->facts.at("busbw_factor") == 1.0);
  CHECK(start->facts.at("operations_per_step") == 3.0);
}

TEST_CASE("a ping-pong of ranks that are not rank 0, and of halves, is timed and checked",
          "[collective]") {
  const auto run = [](const std::string& pair) {
    return run_trial(4,
                     R"({"operation":"ping_pong","pair":")" + pair +
                         R"(","message_bytes":400000,"warmup_steps":1,"measured_steps":2})");
  };
  const auto busbw_factor = [](const Trial& trial) {
    const protocol::Start* start = start_of(trial.record);
    return start == nullptr ? 0.0 : start->facts.at("busbw_factor");
  };
  const Trial upper = run("2-3");
  const Trial halves = run("halves");
  const Trial both = run("0-3+1-2");

  for (const Trial* trial : {&upper, &halves, &both}) {
    INFO(trial->result.err);
    CHECK(trial->result.exit_code == 0);
    CHECK(check_of(trial->record).value().passed);
  }
  CHECK(busbw_factor(upper) == 1.0);
  CHECK(busbw_factor(halves) == 2.0);
  CHECK(busbw_factor(both) == 2.0);
  // Rank 0 only waits, and has the time of the pair: memory takes 10 us for 400 kB, a wait none.
  for (const protocol::Event& event : upper.record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event);
        samples != nullptr && samples->metric == "step_time_s") {
      CHECK(samples->values.back() > 2e-6);
    }
  }
}

TEST_CASE("a ping-pong's time is half of there and back", "[collective]") {
  const Trial trial = run_trial(2,
                                R"({"operation":"ping_pong","message_bytes":4000000,)"
                                R"("operations_per_step":20,"warmup_steps":1,"measured_steps":5})");
  const protocol::Start* start = start_of(trial.record);
  const auto* end = std::get_if<protocol::End>(&trial.record.events.back());
  REQUIRE(start != nullptr);
  REQUIRE(end != nullptr);
  double steps_s = 0.0;
  for (const protocol::Event& event : trial.record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event);
        samples != nullptr && samples->metric == "step_time_s" && !samples->rank) {
      for (std::size_t i = 1; i < samples->values.size(); ++i) {
        steps_s += samples->values[i];
      }
    }
  }

  // The measured window is 20 times there and back a step, and the barriers between them.
  const double window_s = end->facts.at("measured_until_s") - end->facts.at("measured_from_s");
  CHECK(2.0 * 20.0 * steps_s <= 1.05 * window_s);
  CHECK(2.0 * 20.0 * steps_s > 0.6 * window_s);
}

TEST_CASE("ranks that are no pair are refused with the reason", "[collective]") {
  const auto refused = [](int ranks, const std::string& operation, const std::string& pair) {
    const auto result = test::mpirun(ranks, {kProgram, "--operation", operation, "--pair", pair});
    CHECK(result.exit_code == 2);
    return result.err;
  };

  CHECK(contains(refused(2, "ping_pong", "0-2"), "but 2 devices are the ranks 0 to 1"));
  CHECK(contains(refused(2, "ping_pong", "1-0"), "write the lower of two ranks first"));
  CHECK(contains(refused(2, "ping_pong", "0-1-"), "allowed: two ranks, as 0-1, such pairs"));
  CHECK(contains(refused(2, "ping_pong", "both"), "such pairs at once, as 0-1+2-3, and halves"));
  CHECK(contains(refused(4, "ping_pong", "0-1+"), "allowed: two ranks, as 0-1, such pairs"));
  CHECK(contains(refused(4, "ping_pong", "0-1+1-2"), "but rank 1 can be in one pair at a time"));
  CHECK(contains(refused(3, "ping_pong", "halves"), "but 3 devices have no equal halves"));
  CHECK(contains(refused(2, "all_reduce", "halves"), "pair is of operation ping_pong"));
}

TEST_CASE("one wrong element of one rank fails the trial", "[collective]") {
  const Trial trial = run_trial(
      2, parameters_of("all_reduce", "back_to_back"), {"LD_PRELOAD=" SCALESTUDY_WRONG_ALLREDUCE});

  CHECK(trial.result.exit_code != 0);
  const auto check = check_of(trial.record);
  REQUIRE(check.has_value());
  CHECK_FALSE(check->passed);
  CHECK(contains(check->detail, "1 received elements"));
  const auto* end = std::get_if<protocol::End>(&trial.record.events.back());
  REQUIRE(end != nullptr);
  CHECK_FALSE(end->ok);
}

TEST_CASE(
    "a collective of one rank, and one on a GPU that is not there, are refused with the reason",
    "[collective]") {
  const auto alone = test::mpirun(1, {kProgram, "--measured-steps", "1"});
  const Trial gpu = run_trial(2, R"({"backend":"cuda"})", {"CUDA_VISIBLE_DEVICES="});

  CHECK(alone.exit_code == 2);
  CHECK(contains(alone.err, "devices is \"1\""));
  CHECK(gpu.result.exit_code == 77);
  REQUIRE_FALSE(gpu.record.events.empty());
  const auto* end = std::get_if<protocol::End>(&gpu.record.events.back());
  REQUIRE(end != nullptr);
  CHECK(contains(end->message, "use backend cpu"));
}

TEST_CASE("a run by hand prints time and bandwidths", "[collective]") {
  const auto result = test::mpirun(
      2, {kProgram, "--message-bytes", "4096", "--measured-steps", "2", "--warmup-steps", "1"});

  CHECK(result.exit_code == 0);
  for (const char* part : {"all_reduce of 4096 bytes", "step_time_s", "busbw", "data_exact"}) {
    CHECK(contains(result.out, part));
  }
}

namespace {

// Programs beside the CUDA backend on the stand-in for GPUs and NCCL (tests/cuda).
const std::string kOnFakeGpus = SCALESTUDY_CUDA_HOST "/bin/scalestudy-collective";
const std::string kProbeOnFakeGpus = SCALESTUDY_CUDA_HOST "/tests/collective_probe";

const char* const kCudaParameters =
    R"({"backend":"cuda","message_bytes":4000,"warmup_steps":1,"measured_steps":2})";

}  // namespace

TEST_CASE("every operation is asked of NCCL with the arguments that give exact data",
          "[collective]") {
  const int ranks = GENERATE(1, 3);
  const auto result =
      test::mpirun(ranks, {kProbeOnFakeGpus, "cuda"}, {"CUDA_VISIBLE_DEVICES=0,1,2"});

  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_EXACT_COLLECTIVES(result.out, ranks);
}

TEST_CASE("a trial on GPUs tells what they are and which memory reaches which", "[collective]") {
  const Trial trial = run_trial(2, kCudaParameters, {}, kOnFakeGpus);

  INFO(trial.result.err);
  CHECK(trial.result.exit_code == 0);
  const auto check = check_of(trial.record);
  REQUIRE(check.has_value());
  CHECK(check->passed);
  const protocol::Start* start = start_of(trial.record);
  REQUIRE(start != nullptr);
  CHECK(start->versions.at("device") == "Fake GPU");
  CHECK(start->versions.count("nccl") == 1);
  CHECK(start->versions.count("mpi") == 1);
  // The fake's clock of 1 GHz, two transfers a clock, 1024 bits wide.
  CHECK(start->facts.at("device_memory_bytes_per_s") == 2.0 * 1e9 * 128.0);
  CHECK(start->facts.at("device_compute_capability") == 9.0);
  CHECK(start->facts.at("peer_access_0_1") == 1.0);
  CHECK(start->facts.at("peer_access_1_0") == 0.0);
}

TEST_CASE("a triad beside the operation is timed alone and with it", "[collective]") {
  const auto [program, flags] = GENERATE_COPY(table<std::string, std::string>(
      {{kProgram, R"("message_bytes":4000000,"measured_steps":5)"},
       {kOnFakeGpus,
        R"("backend":"cuda","message_bytes":40000,"measured_steps":5,"measured_time_s":0.3)"}}));
  CAPTURE(program);
  const Trial trial =
      run_trial(2, R"({"beside":"triad","warmup_steps":1,)" + flags + "}", {}, program);
  std::map<std::string, const protocol::Samples*> rates;
  for (const protocol::Event& event : trial.record.events) {
    if (const auto* samples = std::get_if<protocol::Samples>(&event)) {
      rates[samples->metric] = samples;
    }
  }

  INFO(trial.result.err);
  CHECK(trial.result.exit_code == 0);
  CHECK(check_of(trial.record).value().passed);
  REQUIRE(rates.count("triad_bytes_per_s") == 1);
  REQUIRE(rates.count("triad_beside_bytes_per_s") == 1);
  CHECK(rates["triad_bytes_per_s"]->values.size() == 4);
  CHECK(rates["triad_bytes_per_s"]->warmup == 1);
  CHECK(rates["triad_beside_bytes_per_s"]->values.size() == 1);
  // Any machine of today: above 1 MB/s (the stand-in's), below 1 TB/s of a core. On a busy one a
  // triad of some milliseconds may never get a core.
  CHECK(std::ranges::max(rates["triad_bytes_per_s"]->values) > 1e6);
  for (const char* metric : {"triad_bytes_per_s", "triad_beside_bytes_per_s"}) {
    CHECK(rates[metric]->values.back() >= 0.0);
    CHECK(rates[metric]->values.back() < 1e12);
  }
}

TEST_CASE("ranks that share a GPU are refused, but as nodes of their own, which is no measurement",
          "[collective]") {
  const auto refused = run_trial(2, kCudaParameters, {"CUDA_VISIBLE_DEVICES=0"}, kOnFakeGpus);
  CHECK(refused.result.exit_code == 77);
  CHECK(contains(refused.result.err, "ranks 0 and 1 share GPU"));

  const test::TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");
  const auto nodes = test::run_program(
      test::on_virtual_nodes({kOnFakeGpus}),
      test::mpirun_environment({"CUDA_VISIBLE_DEVICES=0",
                                std::string("SCALESTUDY_PARAMETERS=") + kCudaParameters,
                                "SCALESTUDY_OUTPUT=" + output}));
  INFO(nodes.err);
  CHECK(nodes.exit_code == 0);
  const auto record = protocol::read_record(output);
  const protocol::Start* start = start_of(record);
  REQUIRE(start != nullptr);
  CHECK(start->facts.at("oversubscribed") == 1.0);
}

TEST_CASE("an operation that NCCL reports as failed behind the last call fails the trial",
          "[collective]") {
  const Trial trial =
      run_trial(2,
                R"({"backend":"cuda","mode":"isolated","warmup_steps":0,"measured_steps":1})",
                {"SCALESTUDY_FAKE_ERROR=1"},
                kOnFakeGpus);

  CHECK(trial.result.exit_code == 1);
  CHECK(contains(trial.result.err, "NCCL failed: a rank is gone"));
}
