// What a trial says of variables that set Open MPI up, against the messages that ranks send.
#include "workloads/rank/mpi_settings.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/catch.h"
#include "tests/workloads/mpirun.h"
#include "workloads/protocol/reader.h"

using namespace scalestudy;
using rank::is_same_setting;

namespace {

constexpr const char* kRing = "OMPI_MCA_coll_tuned_allreduce_algorithm=4";
constexpr const char* kRules = "OMPI_MCA_coll_tuned_use_dynamic_rules=1";
constexpr const char* kAlgorithm = "OMPI_MCA_coll_tuned_allreduce_algorithm";

struct Seen {
  protocol::Start start;
  std::string messages;  // that rank 0 sent, as Open MPI's monitoring counted them, by receiver
};

// Four ranks of a program, with these parameters.
Seen run(const std::string& program,
         const std::string& parameters,
         std::vector<std::string> environment) {
  const test::TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");
  environment.push_back("SCALESTUDY_PARAMETERS={" + parameters + "}");
  environment.emplace_back("OMPI_MCA_pml_monitoring_enable=2");
  environment.emplace_back("OMPI_MCA_pml_monitoring_enable_output=3");
  environment.push_back("SCALESTUDY_OUTPUT=" + output);
  environment.push_back("OMPI_MCA_pml_monitoring_filename=" + folder.file("messages"));
  std::vector<std::string> all = test::mpirun_environment(environment);
  std::erase(all, "OMPI_MCA_pml=ob1");
  all.emplace_back("OMPI_MCA_pml=ob1,monitoring");
  const test::ProgramResult result =
      test::run_program(test::mpirun_command(4, {SCALESTUDY_TEST_BIN "/" + program}), all);
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  Seen seen;
  for (const protocol::Event& event : protocol::read_record(output).events) {
    if (const auto* start = std::get_if<protocol::Start>(&event)) {
      seen.start = *start;
    }
  }
  // "I  0  1  53215232 bytes  100 msgs sent  ..."
  std::ifstream file(folder.file("messages.0.prof"));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("I\t")) {
      std::istringstream fields(line.substr(2));
      int from = 0;
      int to = 0;
      long bytes = 0;
      fields >> from >> to >> bytes;
      seen.messages += std::to_string(to) + ":" + std::to_string(bytes / 1048576) + " ";
    }
  }
  REQUIRE(!seen.messages.empty());
  return seen;
}

// 50 all-reduces of 1 MiB.
Seen reduce(std::vector<std::string> environment) {
  return run("scalestudy-collective",
             R"("operation": "all_reduce", "message_bytes": 1048576, "warmup_steps": 0, )"
             R"("measured_steps": 5, "operations_per_step": 10)",
             std::move(environment));
}

// 20 steps of 1 MB of gradients.
Seen train_four(const std::string& parameters, std::vector<std::string> environment) {
  return run("scalestudy-train",
             R"("model": "mlp-258k", "batch_global": 16, "warmup_steps": 0, )"
             R"("measured_steps": 20, )" +
                 parameters,
             std::move(environment));
}

// The start of a step of training on one rank.
protocol::Start train(const std::string& parameters) {
  const test::TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");
  const test::ProgramResult result =
      test::run_program({SCALESTUDY_TEST_BIN "/scalestudy-train"},
                        test::mpirun_environment(
                            {"SCALESTUDY_PARAMETERS={\"batch_per_device\": 1, \"warmup_steps\": 0, "
                             "\"measured_steps\": 1, " +
                                 parameters + "}",
                             "SCALESTUDY_OUTPUT=" + output,
                             "NCCL_ALGO=Ring"}));
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  return std::get<protocol::Start>(protocol::read_record(output).events.front());
}

double state_of(const Seen& seen, const std::string& variable) {
  return seen.start.facts.at("setting." + variable);
}

}  // namespace

// A ring sends to the next rank alone, 6 times a quarter of the message in each operation.
TEST_CASE("an algorithm is called applied where ranks send their messages by it, else overridden",
          "[comm]") {
  const Seen own = reduce({});
  const Seen forgotten = reduce({kRing});
  const Seen ring = reduce({kRing, kRules});

  CHECK_FALSE(own.start.versions.contains(kAlgorithm));
  CHECK(state_of(forgotten, kAlgorithm) == 0.0);
  CHECK(forgotten.start.versions.at(kAlgorithm) ==
        "overridden: Open MPI chooses by itself; set OMPI_MCA_coll_tuned_use_dynamic_rules=1");
  CHECK(forgotten.messages == own.messages);
  CHECK(state_of(ring, kAlgorithm) == 1.0);
  CHECK(ring.start.versions.at(kAlgorithm) == "applied: 4 (ring)");
  CHECK(state_of(ring, "OMPI_MCA_coll_tuned_use_dynamic_rules") == 1.0);
  CHECK(ring.messages != own.messages);
}

// Open MPI's algorithms for calls that return before they are done are others.
TEST_CASE("an algorithm gets no credit from ranks that make other calls", "[comm][slow]") {
  const auto is_by_ring = [](const std::string& parameters) {
    const Seen ring = train_four(parameters, {kRing, kRules});
    const bool is_applied = state_of(ring, kAlgorithm) == 1.0;
    CHECK(state_of(ring, "OMPI_MCA_coll_tuned_use_dynamic_rules") == 1.0);
    CHECK(is_applied == (ring.messages != train_four(parameters, {}).messages));
    if (!is_applied) {
      CHECK_THAT(ring.start.versions.at(kAlgorithm), Catch::StartsWith("overridden: "));
    }
    return is_applied;
  };

  CHECK(is_by_ring(R"("overlap": "none")"));
  CHECK(is_by_ring(R"("overlap": "thread")"));
  CHECK_FALSE(is_by_ring(R"("overlap": "poll")"));
  CHECK_FALSE(is_by_ring(R"("overlap": "start_wait")"));
  CHECK_FALSE(is_by_ring(R"("strategy": "pipeline")"));
  CHECK_FALSE(is_by_ring(R"("strategy": "fsdp")"));
  CHECK_FALSE(is_by_ring(R"("topk": 0.01)"));
  // Whose norms are summed over stages, a number a step.
  const Seen clipped = train_four(R"("strategy": "pipeline", "clip_norm": 1)", {kRing, kRules});
  CHECK(state_of(clipped, kAlgorithm) == 1.0);
  const Seen messages = run("scalestudy-collective",
                            R"("operation": "ping_pong", "pair": "0-1", "message_bytes": 8, )"
                            R"("warmup_steps": 0, "measured_steps": 1)",
                            {kRing, kRules});
  CHECK(state_of(messages, kAlgorithm) == 0.0);
}

TEST_CASE("an algorithm of all-reduces gets no credit where another operation is timed", "[comm]") {
  const auto exchange = [](std::vector<std::string> environment) {
    return run("scalestudy-collective",
               R"("operation": "all_to_all", "message_bytes": 4194304, "warmup_steps": 0, )"
               R"("measured_steps": 5)",
               std::move(environment));
  };

  const Seen seen = exchange({kRing, kRules});

  CHECK(state_of(seen, kAlgorithm) == 0.0);
  CHECK(seen.start.versions.at(kAlgorithm) == "overridden: these ranks time no MPI_Allreduce");
  CHECK(seen.messages == exchange({}).messages);
}

// 4: neighbor exchange, which reorders what ranks send.
TEST_CASE("an algorithm of all-gathers counts where ranks gather alone", "[comm]") {
  const std::string variable = "OMPI_MCA_coll_tuned_allgather_algorithm";

  const Seen reduced = reduce({variable + "=5", kRules});

  CHECK(state_of(reduced, variable) == 0.0);
  CHECK(reduced.start.versions.at(variable) == "overridden: these ranks time no MPI_Allgather");
  CHECK(reduced.messages == reduce({kRules}).messages);
  CHECK(state_of(train_four(R"("strategy": "fsdp")", {variable + "=4", kRules}), variable) == 1.0);
  // Open MPI may make an all-reduce of a reduction and a broadcast.
  CHECK(state_of(reduce({"OMPI_MCA_coll_tuned_bcast_algorithm=1", kRules}),
                 "OMPI_MCA_coll_tuned_bcast_algorithm") == 1.0);
}

// 1: ring. Ranks that wait in each call do without it.
TEST_CASE("an algorithm for calls that return at once counts with these alone", "[comm]") {
  const std::string variable = "OMPI_MCA_coll_libnbc_iallreduce_algorithm";

  const Seen polling = train_four(R"("overlap": "poll")", {variable + "=1"});
  const Seen waiting = train_four(R"("overlap": "none")", {variable + "=1"});

  CHECK(state_of(polling, variable) == 1.0);
  CHECK(state_of(waiting, variable) == 0.0);
  // Shards are scattered and gathered. The squares of clipped ones are summed in a call that waits.
  for (const std::string strategy : {R"("strategy": "fsdp")",
                                     R"("strategy": "zero2")",
                                     R"("topk": 0.01)",
                                     R"("strategy": "zero1", "clip_norm": 1)"}) {
    const Seen seen = train_four(R"("overlap": "poll", )" + strategy, {variable + "=1"});
    CHECK(state_of(seen, variable) == 0.0);
    CHECK(seen.start.versions.at(variable) == "overridden: these ranks time no MPI_Iallreduce");
  }
}

TEST_CASE("an algorithm of 0 is the library's own choice, also where it makes none by rules",
          "[comm]") {
  CHECK(state_of(reduce({"OMPI_MCA_coll_tuned_allreduce_algorithm=0"}), kAlgorithm) == 1.0);
  CHECK(state_of(reduce({"OMPI_MCA_coll_tuned_allreduce_algorithm=ring", kRules}), kAlgorithm) ==
        1.0);
}

TEST_CASE("what is to set NCCL up is not seen by ranks without it, but for its log", "[comm]") {
  const Seen seen = reduce({"NCCL_ALGO=Ring", "NCCL_DEBUG=WARN"});

  CHECK(state_of(seen, "NCCL_ALGO") == -1.0);
  CHECK(seen.start.versions.at("NCCL_ALGO") == "not seen: these ranks do not communicate by NCCL");
  CHECK_FALSE(seen.start.facts.contains("setting.NCCL_DEBUG"));
}

TEST_CASE("a control that moves nothing says nothing of what would set NCCL up", "[comm]") {
  CHECK(train(R"("comm": "mpi")").facts.at("setting.NCCL_ALGO") == -1.0);
  CHECK_FALSE(train(R"("comm": "noop")").facts.contains("setting.NCCL_ALGO"));
}

TEST_CASE("ranks that communicate by NCCL see none of what would set MPI's messages up", "[comm]") {
  setenv("OMPI_MCA_coll_tuned_allreduce_algorithm", "4", 1);  // NOLINT(concurrency-mt-unsafe)
  setenv("OMPI_MCA_plm_rsh_agent", "true", 1);                // NOLINT(concurrency-mt-unsafe)
  const auto settings = rank::settings_without_mpi("NCCL");

  CHECK(settings.at(kAlgorithm).state == rank::SettingState::kNotSeen);
  CHECK(settings.at(kAlgorithm).found == "not seen: these ranks communicate by NCCL");
  CHECK_FALSE(settings.contains("OMPI_MCA_plm_rsh_agent"));  // of how ranks are started
}

// Of messages of 3500 and 60,000 bytes: vader's limit is 4096 by default, TCP's 65,536.
TEST_CASE(
    "an eager limit is called applied where messages up to it are sent before they are asked for",
    "[comm]") {
  const auto is_sent_before = [](bool is_expected,
                                 const std::string& bytes,
                                 const std::string& transport,
                                 const std::string& limit,
                                 const std::string& found) {
    std::vector<std::string> environment = test::mpirun_environment({});
    std::erase(environment, "OMPI_MCA_btl=self,vader");
    environment.push_back("OMPI_MCA_btl=self," + transport);
    if (!limit.empty()) {
      environment.push_back("OMPI_MCA_" + limit);
    }
    // One that is sent only when it is asked for is looked for in vain, however long.
    const test::ProgramResult result = test::run_program(
        test::mpirun_command(2, {SCALESTUDY_EAGER_PROBE, bytes, is_expected ? "60" : "0.05"}),
        environment);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Catch::Contains(found));
    return result.out.rfind("sent before\n", 0) == 0;
  };

  CHECK(is_sent_before(true, "3500", "vader", "", ""));
  CHECK_FALSE(is_sent_before(false,
                             "3500",
                             "vader",
                             "btl_vader_eager_limit=1024",
                             "btl_vader_eager_limit applied: 1024\n"));
  CHECK_FALSE(is_sent_before(false, "60000", "vader", "", ""));
  CHECK(is_sent_before(true,
                       "60000",
                       "vader",
                       "btl_vader_eager_limit=65536",
                       "btl_vader_eager_limit applied: 65536\n"));
  CHECK(is_sent_before(true, "60000", "tcp", "", "OMPI_MCA_btl applied: self,tcp\n"));
  CHECK_FALSE(is_sent_before(
      false, "60000", "tcp", "btl_tcp_eager_limit=4096", "btl_tcp_eager_limit applied: 4096\n"));
  CHECK(is_sent_before(
      true, "3500", "vader", "btl_tcp_eager_limit=1024", "btl_tcp_eager_limit not seen"));
}

TEST_CASE("variables that this MPI does not know are not seen", "[comm][slow]") {
  const Seen misspelt = reduce({"OMPI_MCA_coll_tuned_alreduce_algorithm=4", kRules});
  const Seen unloaded = reduce({kRing, kRules, "OMPI_MCA_coll=^tuned"});
  const Seen without = reduce({"OMPI_MCA_btl_vader_single_copy_mechanism=none"});

  CHECK(state_of(misspelt, "OMPI_MCA_coll_tuned_alreduce_algorithm") == -1.0);
  CHECK(state_of(unloaded, kAlgorithm) == -1.0);
  CHECK(unloaded.start.versions.at(kAlgorithm) == "not seen: this MPI has no such variable");
  CHECK(state_of(without, "OMPI_MCA_btl_vader_single_copy_mechanism") == 1.0);
}

TEST_CASE("a setting is the same however its value is written", "[comm]") {
  CHECK(is_same_setting("4", "4", "ring"));
  CHECK(is_same_setting("ring", "4", "ring"));
  CHECK(is_same_setting("true", "1", "true"));
  CHECK(is_same_setting("1", "true", ""));
  CHECK(is_same_setting("self,vader", "self,vader", ""));
  CHECK_FALSE(is_same_setting("4", "0", "ignore"));
  CHECK_FALSE(is_same_setting("ring", "0", "ignore"));
  CHECK_FALSE(is_same_setting("self,vader", "self,vader,tcp", ""));
  CHECK_FALSE(is_same_setting("x", "y", ""));
}
