// scalestudy-collective: one rank of a collective operation that is timed and checked.
#include <cstdio>
#include <span>

#include "workloads/collective/options.h"
#include "workloads/collective/run.h"
#include "workloads/rank/program.h"

int main(int argc, char** argv) {
  namespace collective = scalestudy::collective;
  namespace flags = scalestudy::flags;
  const std::span<const char* const> arguments(argv + 1, argv + argc);
  // Before MPI, which takes a tenth of a second to start.
  if (flags::asks_for_help(arguments)) {
    std::fputs(flags::help_text(collective::program()).c_str(), stdout);
    return 0;
  }
  return scalestudy::rank::run_program(
      argc, argv, [&](const scalestudy::rank::World& world, scalestudy::protocol::Writer* writer) {
        const flags::Texts texts =
            flags::merge(collective::program().workload,
                         flags::environment(),
                         flags::parse_flags(collective::program(), arguments));
        return collective::run(texts, world, writer);
      });
}
