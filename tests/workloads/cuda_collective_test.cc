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

TEST_CASE("a GPU copies its memory at a rate between a tenth and all of what its memory allows",
          "[gpu]") {
  cuda::Backend& backend = test::require_gpu();
  const auto gpu = backend.make_device(0);
  device::Arena arena(*gpu);
  constexpr std::size_t bytes = std::size_t{512} << 20U;
  std::byte* const from = arena.take<std::byte>(bytes).data();
  std::byte* const to = arena.take<std::byte>(bytes).data();
  gpu->reserve_marks(2);
  gpu->copy(to, from, bytes);

  gpu->mark(0);
  gpu->copy(to, from, bytes);
  gpu->mark(1);

  const double copied_bytes_per_s = static_cast<double>(bytes) / gpu->elapsed_s(0, 1);
  const auto theoretical = backend.facts(0).memory_bytes_per_s;
  std::printf("copied at %.1f GB/s; theoretical, read and written: %.1f GB/s\n",
              copied_bytes_per_s * 1e-9,
              theoretical.value_or(0.0) * 1e-9);
  if (theoretical) {
    // Every copied byte is read and written.
    CHECK(2.0 * copied_bytes_per_s <= *theoretical);
    CHECK(2.0 * copied_bytes_per_s >= 0.1 * *theoretical);
  }
}
