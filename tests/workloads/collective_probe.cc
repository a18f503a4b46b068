// Every operation in both modes on all ranks; rank 0 prints "OPERATION MODE WRONG_ELEMENTS" lines.
#include <cstdio>
#include <span>

#include "workloads/collective/bench.h"
#include "workloads/flags/flags.h"
#include "workloads/rank/program.h"

namespace {

using namespace scalestudy;

int probe(const rank::World& world, protocol::Writer* /*writer*/) {
  const auto device = device::make_cpu_device();
  for (const char* operation :
       {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_recv", "all_to_all"}) {
    for (const char* mode : {"back_to_back", "isolated"}) {
      const auto texts =
          flags::merge("collective",
                       {{"operation", operation}, {"mode", mode}, {"message_bytes", "40000"}},
                       {{"operations_per_step", "3"}});
      collective::Bench bench(collective::make_options(texts), world, *device);
      bench.poison();
      bench.step();
      const std::size_t wrong = bench.wrong_elements();
      if (world.rank() == 0) {
        std::printf("%s %s %zu\n", operation, mode, wrong);
      }
    }
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return scalestudy::rank::run_program(argc, argv, probe);
}
