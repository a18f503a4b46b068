// Collectives on a GPU: one rank, and two ranks that share it.
#include <variant>

#include "tests/support/catch.h"
#include "tests/workloads/gpu_programs.h"
#include "tests/workloads/probed_collectives.h"
#include "workloads/protocol/reader.h"

using namespace scalestudy;
using test::neighbour;
using test::require_gpu_and_mpirun;

namespace {

const std::vector<std::string> kProgram = {neighbour("../bin/scalestudy-collective")};

// A message of several of NCCL's chunks, and parts that are no multiple of them.
std::string parameters_of(const std::string& operation) {
  return R"(SCALESTUDY_PARAMETERS={"backend":"cuda","message_bytes":20000004,"operation":")" +
         operation + R"(","operations_per_step":3,"warmup_steps":1,"measured_steps":2})";
}

}  // namespace

TEST_CASE("every operation of one rank delivers exact data on a GPU", "[gpu]") {
  require_gpu_and_mpirun();

  const auto result = test::mpirun(1, {neighbour("collective_probe"), "cuda"});

  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_EXACT_COLLECTIVES(result.out, 1);
}

TEST_CASE("every operation of two ranks that share a GPU delivers exact data", "[gpu]") {
  require_gpu_and_mpirun();

  const auto result = test::run_on_virtual_nodes({neighbour("collective_probe"), "cuda"});

  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK_EXACT_COLLECTIVES(result.out, 2);
}

TEST_CASE("a trial of two ranks that share a GPU passes its check and measures nothing", "[gpu]") {
  require_gpu_and_mpirun();
  const std::string operation = GENERATE("all_reduce", "send_recv", "all_to_all");
  CAPTURE(operation);
  const test::TemporaryFolder folder;
  const std::string output = folder.file("trial.jsonl");

  const auto result = test::run_on_virtual_nodes(
      kProgram, {parameters_of(operation), "SCALESTUDY_OUTPUT=" + output});

  INFO(result.err);
  CHECK(result.exit_code == 0);
  const protocol::Record record = protocol::read_record(output);
  REQUIRE_FALSE(record.events.empty());
  const auto& start = std::get<protocol::Start>(record.events.front());
  CHECK(start.facts.at("oversubscribed") == 1.0);
  CHECK(start.versions.count("nccl") == 1);
  CHECK(std::get<protocol::End>(record.events.back()).ok);
}

TEST_CASE("a trial of two ranks on one GPU of one node says what to do instead", "[gpu]") {
  require_gpu_and_mpirun();

  const auto result =
      test::mpirun(2, kProgram, {"CUDA_VISIBLE_DEVICES=0", parameters_of("all_reduce")});

  CHECK(result.exit_code == protocol::kExitUnsupported);
  CHECK(result.err.find("ranks 0 and 1 share GPU") != std::string::npos);
}
