// Every operation in both modes on all ranks; rank 0 prints "OPERATION MODE POISONED WRONG" lines:
// wrong elements before the operation ran, when it has delivered nothing yet, and after.
//
//   collective_probe cpu|cuda [BYTES [mpi|nccl|shm]]
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "workloads/collective/backend.h"
#include "workloads/collective/bench.h"
#include "workloads/flags/flags.h"
#include "workloads/rank/program.h"

namespace {

using namespace scalestudy;

int probe(const rank::World& world, std::span<char* const> arguments) {
  const bool is_shared = arguments.size() > 2 && std::string_view(arguments[2]) == "shm";
  // Of one rank there is no pair.
  std::vector<const char*> operations = {
      "all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_recv", "all_to_all"};
  if (world.size() > 1 && !is_shared) {
    operations.push_back("ping_pong");
  }
  flags::Texts environment{{"backend", arguments[0]},
                           {"message_bytes", arguments.size() > 1 ? arguments[1] : "40000"}};
  if (arguments.size() > 2) {
    environment["comm"] = arguments[2];
  }
  const auto device = collective::make_device(
      collective::make_options(flags::merge("collective", environment, {})), world);
  for (const char* operation : operations) {
    for (const char* mode : {"back_to_back", "isolated"}) {
      const auto texts =
          flags::merge("collective",
                       environment,
                       {{"operation", operation}, {"mode", mode}, {"operations_per_step", "3"}});
      collective::Bench bench(collective::make_options(texts), world, *device);
      bench.poison();
      const std::size_t poisoned = bench.wrong_elements();
      bench.step();
      const std::size_t wrong = bench.wrong_elements();
      if (world.rank() == 0) {
        std::printf("%s %s %zu %zu\n", operation, mode, poisoned, wrong);
      }
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return scalestudy::rank::run_program(
      argc, argv, [&](const rank::World& world, protocol::Writer* /*writer*/) {
        return probe(world, {argv + 1, argv + argc});
      });
}
